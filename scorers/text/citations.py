"""The sentences of an answer and what each of them cites, read off the text without a judge."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scorers.text.keys import KnownKeys
from scorers.text.layout import lay_out
from scorers.text.markers import Marker, find_markers
from scorers.text.stops import Stretch, stretches
from scorers.text.units import Unit, units, without_markers
from scorers.text.words import count_words


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
    for unit in units(layout, markers):
        if unit.kind == "heading" and not unit.markers:
            continue
        for part, inside in _share(_parts(layout.text, unit), unit.markers):
            text = without_markers(layout.text, part.start, part.close, inside)
            draft = _Draft(part, text, [*waiting, *inside])
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


def _parts(text: str, unit: Unit) -> list[Stretch]:
    """Return the sentences of a unit; a table row and a heading are one, whatever they hold."""
    if unit.kind in {"heading", "row"}:
        return [Stretch(unit.start, unit.end, unit.end)]
    return stretches(text, unit.start, unit.end, unit.markers)


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
