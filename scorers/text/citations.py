"""The sentences of an answer and what each of them cites: scorers.md C3 to C8, without a judge."""

# ruff: noqa: RUF001 (letters that look alike are the subject here)

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scorers.text.keys import KnownKeys
from scorers.text.layout import Layout, Line, lay_out
from scorers.text.markers import Marker, find_markers
from scorers.text.stops import Stretch, stretches
from scorers.text.words import count_words

_HOLE = "\x00"
_EMPTIED = re.compile(r"[(\[（［【] ?\x00[\x00 ]*+[)\]）］】]")
_SPACE_BEFORE = re.compile(r" (?=[.,;:!?](?:[\s.,;:!?)\]}\"'”’»*_]|$))")
_SPACES = re.compile(r"\s+")
_JOINS_NOT = frozenset(".!?…。！？｡؟۔।॥:：")


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence without its markers, the keys it cites, and [start, end) in the answer.

    `keys` are those that the record has evidence for, `unknown` those that it has not.
    """

    text: str
    keys: tuple[str, ...]
    unknown: tuple[str, ...]
    start: int
    end: int

    @property
    def cites(self) -> bool:
        """Whether it carries any citation."""
        return bool(self.keys or self.unknown)


@dataclass(frozen=True, slots=True)
class CitedAnswer:
    """Every sentence of an answer in order, cited or not.

    `dangling` holds what the markers name that have no sentence to belong to.
    """

    sentences: tuple[CitedSentence, ...]
    dangling: tuple[str, ...] = ()

    @property
    def cited(self) -> list[CitedSentence]:
        """The sentences that cite, in order."""
        return [sentence for sentence in self.sentences if sentence.cites]

    def eligible(self, *, min_words: int) -> list[CitedSentence]:
        """Return what recall counts: the cited sentences, and others that are long enough."""
        return [
            sentence
            for sentence in self.sentences
            if sentence.cites or count_words(sentence.text) >= min_words
        ]


def read_citations(
    answer: str, known_keys: Iterable[str], *, superscripts: bool = False
) -> CitedAnswer:
    """Return the sentences of the answer and what they cite. Linear in its length.

    `known_keys` are the keys that the record has evidence for; `superscripts` lets ¹ and ² cite.
    """
    layout = lay_out(answer)
    markers = find_markers(layout, KnownKeys.of(known_keys), superscripts=superscripts)
    drafts: list[_Draft] = []
    waiting: list[Marker] = []
    for start, end, whole, own in _units(layout, markers):
        parts = [Stretch(start, end, end)] if whole else stretches(layout.text, start, end, own)
        for part, inside in _share(parts, own):
            draft = _Draft(part, _text(layout.text, part, inside), [*waiting, *inside])
            if any(map(str.isalnum, draft.text)):
                drafts.append(draft)
                waiting = []
            elif drafts:
                drafts[-1].markers += draft.markers
                waiting = []
            else:
                waiting += inside
    return CitedAnswer(
        sentences=tuple(draft.finish() for draft in drafts),
        dangling=tuple(name for marker in waiting for name in marker.cited.names),
    )


@dataclass(slots=True)
class _Draft:
    stretch: Stretch
    text: str
    markers: list[Marker] = field(default_factory=list)

    def finish(self) -> CitedSentence:
        return CitedSentence(
            text=self.text,
            keys=tuple(dict.fromkeys(key for m in self.markers for key in m.cited.keys)),
            unknown=tuple(dict.fromkeys(key for m in self.markers for key in m.cited.unknown)),
            start=self.stretch.start,
            end=self.stretch.close,
        )


def _units(
    layout: Layout, markers: Sequence[Marker]
) -> Iterator[tuple[int, int, bool, Sequence[Marker]]]:
    """Yield what is split on its own: a line with the lines that go on with it.

    The third value says that it is one sentence whatever it holds: a table row, a cited heading.
    A heading without a marker is left out.
    """
    first = 0
    shared = _by_line(layout.lines, markers)
    for number, line in enumerate(layout.lines):
        last = number + 1 == len(layout.lines)
        if not last and _goes_on(layout, number, shared[number], shared[number + 1]):
            continue
        own = [marker for group in shared[first : number + 1] for marker in group]
        if line.kind != "heading" or own:
            whole = line.kind in {"heading", "row"}
            yield layout.lines[first].start, line.end, whole, own
        first = number + 1


def _by_line(lines: Sequence[Line], markers: Sequence[Marker]) -> list[list[Marker]]:
    shared: list[list[Marker]] = []
    number = 0
    for line in lines:
        own = []
        while number < len(markers) and markers[number].start < line.end:
            own.append(markers[number])
            number += 1
        shared.append(own)
    return shared


def _goes_on(layout: Layout, number: int, own: Sequence[Marker], then: Sequence[Marker]) -> bool:
    """Say whether the line after this one goes on with it: in lower case, after no stop."""
    line, following = layout.lines[number], layout.lines[number + 1]
    if following.kind != "prose" or following.after_gap or line.kind in {"heading", "row"}:
        return False
    if then and then[0].start == following.start:
        return False
    end = line.end
    for marker in reversed(own):
        if layout.text[marker.end : end].strip():
            break
        end = marker.start
    said = layout.text[line.start : end].rstrip().rstrip("\"'”’»)]*_")
    return layout.text[following.start].islower() and said[-1:] not in _JOINS_NOT


def _share(
    parts: Sequence[Stretch], markers: Sequence[Marker]
) -> Iterator[tuple[Stretch, list[Marker]]]:
    number = 0
    for part in parts:
        inside = []
        while number < len(markers) and markers[number].start < part.end:
            inside.append(markers[number])
            number += 1
        yield part, inside


def _text(text: str, part: Stretch, markers: Sequence[Marker]) -> str:
    """Return the sentence without its markers and the holes that they leave."""
    pieces, at = [], part.start
    for marker in markers:
        if marker.start >= part.close:
            break
        pieces += [text[at : marker.start], _HOLE]
        at = marker.end
    pieces.append(text[at : part.close])
    joined = _SPACES.sub(" ", "".join(pieces))
    # A bracket around a bracket that is emptied is emptied too.
    joined = _EMPTIED.sub("", _EMPTIED.sub(_HOLE, joined)).replace(_HOLE, "")
    return _SPACES.sub(" ", _SPACE_BEFORE.sub("", _SPACES.sub(" ", joined))).strip()
