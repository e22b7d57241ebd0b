"""Citation markers: where an answer cites, in every format that assistants write."""

import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from scorers.text.keys import LEDGER, Cited, KnownKeys
from scorers.text.layout import Layout

_URL = (
    r"\(\s{0,8}<?[^()\s<>]{0,2000}+(?:\([^()\s]{0,500}+\)[^()\s<>]{0,500}+){0,8}+>?"
    r"(?:\s{1,8}\"[^\"\n]{0,300}+\")?\s{0,8}\)"
)
_CANDIDATE = re.compile(r"[\[【\ue200<⁰¹²³⁴-⁹]|(?<!\w)(?:[EGRCVX](?=[0-9])|ev1:)")
_LINK_TARGET = re.compile(r"(?<=\])" + _URL + r"|https?://[^\s<>\"\[\]()]{1,2000}+")
_BRACKETS = re.compile(r"[\[\]()\n]")
_DOUBLE = re.compile(r"\[\s{0,4}\[([^\[\]\n]{1,200})\]\s{0,4}\](?:" + _URL + ")?")
_FOOTNOTE = re.compile(r"\[\^([^\[\]\s,;]{1,80})\]")
_SINGLE = re.compile(r"\[([^\[\]\n]{1,400})\](?:" + _URL + ")?")
_LENTICULAR = re.compile(r"【([^【】\n†]{1,200})(†[^【】\n]{0,400})?】")
_LOCATION = re.compile(r"[0-9]{1,4}(?::[0-9]{1,4}){1,3}")
_WEB = re.compile(r"\ue200(?:file)?cite((?:\ue202[^\ue200-\ue202\s]{1,200}){1,50})\ue201")
_ELEMENT = re.compile(r"<(cite|sup)>\s{0,8}\[?([^<>\[\]\n]{1,200})\]?\s{0,8}</\1>", re.IGNORECASE)
_OPENING = re.compile(
    r"<cite\s{1,8}(?:id|ids|source|sources|ref|refs|key|doc|index)\s{0,4}=\s{0,4}"
    r"(?:\"([^\"<>\n]{1,200})\"|'([^'<>\n]{1,200})'|([^\s\"'<>/]{1,200}))\s{0,8}(/?)>"
    r"|<co:\s{0,4}([^<>\n]{1,200})>",
    re.IGNORECASE,
)
_CLOSING = re.compile(r"</(cite|co)(?::[^<>\n]{0,200})?\s{0,4}>", re.IGNORECASE)
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴-⁹]{1,9}")
_PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SPLIT = re.compile(r"[,;\s]+")


@dataclass(frozen=True, slots=True)
class Marker:
    """A stretch of an answer that is no text but a citation: [start, end), and what it names."""

    start: int
    end: int
    cited: Cited


def find_markers(layout: Layout, known: KnownKeys, *, superscripts: bool = False) -> list[Marker]:
    """Return the markers of an answer in order, none overlapping another, none in code.

    `superscripts` makes citations of ¹ and ², which are ordinary powers otherwise. A tag that
    wraps what it cites becomes two markers; the closing one carries the keys.
    """
    return _Reader(layout, known, superscripts=superscripts).read()


class _Reader:
    """One pass from left to right; every look ahead is bounded, so the pass is linear."""

    def __init__(self, layout: Layout, known: KnownKeys, *, superscripts: bool) -> None:
        self._text = layout.text
        self._opaque = sorted([*layout.code, *_spans(_LINK_TARGET, layout.text)])
        self._known = known
        self._superscripts = superscripts
        self._found: list[Marker] = []
        self._open: dict[str, list[tuple[int, Cited]]] = {"cite": [], "co": []}
        self._bracketed = _bracketed(layout.text)

    def read(self) -> list[Marker]:
        at, opaque = 0, 0
        while found := _CANDIDATE.search(self._text, at):
            at = found.start()
            while opaque < len(self._opaque) and self._opaque[opaque][1] <= at:
                opaque += 1
            if opaque < len(self._opaque) and self._opaque[opaque][0] <= at:
                at = self._opaque[opaque][1]
            elif marker := self._marker(at):
                self._found.append(marker)
                at = marker.end
            else:
                at += 1
        for number, cited in chain.from_iterable(self._open.values()):
            self._found[number] = replace(self._found[number], cited=cited)
        return self._found

    def _marker(self, at: int) -> Marker | None:
        match self._text[at]:
            case "[":
                return self._bracket(at)
            case "【":
                return self._lenticular(at)
            case "<":
                return self._tag(at)
            case "\ue200":
                found = _WEB.match(self._text, at)
                return found and self._named(found, found[1].split("\ue202")[1:])
            case letter if letter.isalpha():
                return self._ledger(at)
            case _:
                return self._superscript(at)

    def _named(self, found: re.Match[str], names: Sequence[str]) -> Marker:
        return Marker(found.start(), found.end(), self._known.sort(names))

    def _grouped(self, found: re.Match[str] | None, content: int = 1) -> Marker | None:
        cited = self._known.read_group(found[content]) if found else None
        return Marker(found.start(), found.end(), cited) if found and cited else None

    def _bracket(self, at: int) -> Marker | None:
        if footnote := _FOOTNOTE.match(self._text, at):
            return self._named(footnote, [footnote[1]])
        return self._grouped(_DOUBLE.match(self._text, at)) or self._grouped(
            _SINGLE.match(self._text, at)
        )

    def _lenticular(self, at: int) -> Marker | None:
        found = _LENTICULAR.match(self._text, at)
        if found is None:
            return None
        name = found[1].strip()
        if name in self._known.exact or _LOCATION.fullmatch(name):
            return self._named(found, [name])
        grouped = self._grouped(found)
        return self._named(found, [name]) if grouped is None and found[2] and name else grouped

    def _tag(self, at: int) -> Marker | None:
        if closing := _CLOSING.match(self._text, at):
            waiting = self._open[closing[1].lower()]
            return Marker(at, closing.end(), waiting.pop()[1]) if waiting else None
        if element := self._grouped(_ELEMENT.match(self._text, at), content=2):
            return element
        opening = _OPENING.match(self._text, at)
        if opening is None:
            return None
        value = opening[1] or opening[2] or opening[3] or opening[5] or ""
        cited = self._attribute(value)
        if cited is None:
            return None
        if opening[4]:
            return Marker(at, opening.end(), cited)
        self._open["co" if opening[5] else "cite"].append((len(self._found), cited))
        return Marker(at, opening.end(), Cited())

    def _attribute(self, value: str) -> Cited | None:
        """Read the ids of a tag: as a bracket's content, else each of them as it is spelled."""
        value = value.strip()
        if value in self._known.exact:
            return Cited(keys=(value,))
        names = [name for name in _SPLIT.split(value) if name]
        return self._known.read_group(value) or (self._known.sort(names) if names else None)

    def _ledger(self, at: int) -> Marker | None:
        found = LEDGER.match(self._text, at)
        if found is None:
            return None
        counts = found[0] in self._known.exact or _within(self._bracketed, at)
        return self._named(found, [found[0]]) if counts else None

    def _superscript(self, at: int) -> Marker | None:
        found = _SUPERSCRIPT.match(self._text, at) if self._superscripts else None
        if found is None:
            return None
        number = found[0].translate(_PLAIN_DIGITS)
        digits = list(number)
        apart = number not in self._known.exact and self._known.exact.issuperset(digits)
        return self._named(found, digits if apart else [number])


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [found.span() for found in pattern.finditer(text)]


def _bracketed(text: str) -> list[tuple[int, int]]:
    """Return the outermost stretches between a square or round bracket and its partner."""
    spans: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    for found in _BRACKETS.finditer(text):
        match found[0], opened[-1:]:
            case ("[" | "(") as bracket, _:
                opened.append((bracket, found.start()))
            case ("]", [("[", start)]) | (")", [("(", start)]):
                opened.pop()
                while spans and spans[-1][0] > start:
                    spans.pop()
                spans.append((start, found.start()))
            case _:
                opened.clear()
    return spans


def _within(spans: Sequence[tuple[int, int]], at: int) -> bool:
    before = bisect(spans, at, key=lambda span: span[0]) - 1
    return before >= 0 and at < spans[before][1]
