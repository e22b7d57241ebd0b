"""Where a sentence ends: one rule for all scripts, exact enough to count by."""

# ruff: noqa: RUF001, SIM905 (letters that look alike are the subject here, and lists of words)

import re
from collections.abc import Sequence
from dataclasses import dataclass

from scorers.text.markers import Marker

_STOP = re.compile(r"[.!?…。！？｡؟۔।॥]{1,200}")
_ALWAYS = frozenset("。！？｡؟۔।॥")
_CLOSERS = frozenset("\"'”’»›)]}」』）】》〉］｝*_~`")
_GERMAN_CLOSERS = _CLOSERS | frozenset("“‘«")
_OPENERS = frozenset("\"'“‘”’«‹„‚‟‛「『《〈([{（［｛【¿¡`")
_EMPHASIS = frozenset("*_~")
_LAST_WORD = re.compile(r"[^\s(\[{\"'“‘«„‚/–—]{1,12}\Z")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_]){0,5}")
_ABBREVIATIONS = frozenset(
    """
    inc corp co ltd llc vs e.g i.e mr mrs ms mx dr prof sr jr st fig figs eq eqs al gen col capt lt
    sgt maj adm cmdr rep sen gov rev hon pres messrs approx dept est vol vols pp cf ca ed eds mt
    ave blvd rd jan feb mar apr jun jul aug sept sep oct nov dec tel ext resp incl excl viz
    z.b z d.h u.a u.u bzw nr abs art str hr fr hrn frl inkl exkl ggf vgl evtl sog bd usf mio mrd
    ing dipl mag hrsg jg bspw gem
    mme mlle mm av env n°  núm pág sra srta dra ud uds
    г г.г гг руб т.е т.д т.п им ул стр тыс млн млрд др проф
    """.split()
)
_NUMBER_SIGNS = frozenset({"No", "Nos"})
_GERMAN_ORDINAL = re.compile(
    r"\s{1,3}(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November"
    r"|Dezember|Jahrhundert|Jh)"
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A sentence of a line: [start, close) is what it says, up to `end` only markers follow."""

    start: int
    close: int
    end: int


def stretches(text: str, start: int, end: int, markers: Sequence[Marker]) -> list[Stretch]:
    """Return the sentences of one line, in order; together they fill [start, end).

    `markers` are those of the line, in order: a stop inside one ends nothing, and those right
    behind a sentence's end belong to it.
    """
    found: list[Stretch] = []
    opens, at, number = start, start, 0
    while stop := _STOP.search(text, at, end):
        while number < len(markers) and markers[number].end <= stop.start():
            number += 1
        if number < len(markers) and markers[number].start <= stop.start():
            at = markers[number].end
            continue
        at = stop.end()
        tail = _tail(text, stop, end, markers, number)
        if tail.end == end or (tail.follows and _ends(text, opens, stop, tail)):
            found.append(Stretch(opens, tail.close, tail.end))
            opens = at = tail.end
    if opens < end:
        found.append(Stretch(opens, end, end))
    return found


@dataclass(frozen=True, slots=True)
class _Tail:
    """What stands behind a stop: closing quotes up to `close`, then markers and space to `end`."""

    close: int
    end: int
    next: int
    marked: bool
    always: bool

    @property
    def follows(self) -> bool:
        return self.always or self.next > self.close


def _tail(
    text: str, stop: re.Match[str], end: int, markers: Sequence[Marker], number: int
) -> _Tail:
    always = not _ALWAYS.isdisjoint(stop[0])
    closers = _CLOSERS if always else _GERMAN_CLOSERS
    close = stop.end()
    while close < end and text[close] in closers:
        close += 1
    at, behind, cited, pending = close, close, 0, False
    while at < end:
        marker = markers[number + cited] if number + cited < len(markers) else None
        if marker and marker.start == at:
            if not marker.cited.names:
                break
            at = behind = marker.end
            cited, pending = cited + 1, False
        elif text[at].isspace():
            at += 1
            behind = behind if pending else at
        elif cited and text[at] in ",;":
            at, pending = at + 1, True
        else:
            break
    opening = markers[number + cited] if number + cited < len(markers) else None
    upcoming = opening.end if opening and opening.start == behind else behind
    while upcoming < end and text[upcoming] in _EMPHASIS:
        upcoming += 1
    return _Tail(close=close, end=behind, next=upcoming, marked=cited > 0, always=always)


def _ends(text: str, opens: int, stop: re.Match[str], tail: _Tail) -> bool:
    if tail.always:
        return True
    upcoming = text[tail.next : tail.next + 1]
    starts = (upcoming.isalpha() and not upcoming.islower()) or upcoming.isdecimal()
    if not (starts or upcoming in _OPENERS):
        return False
    return tail.marked or stop[0] != "." or not abbreviates(text, opens, stop.start())


def abbreviates(text: str, opens: int, stop: int) -> bool:
    """Say whether the stop at `stop` belongs to the word before it, in a sentence from `opens`."""
    last = _LAST_WORD.search(text[max(opens, stop - 13) : stop])
    word = last[0].lstrip("*_") if last else ""
    initials = word.isupper() and bool(_INITIALS.fullmatch(word))
    ordinal = word.isdecimal() and _GERMAN_ORDINAL.match(text, stop + 1)
    return initials or word in _NUMBER_SIGNS or word.casefold() in _ABBREVIATIONS or bool(ordinal)
