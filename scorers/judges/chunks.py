"""Texts in chunks that a judge can read: nothing is left out, and parts overlap at sentences.

A fact that stands on both sides of a cut would be lost, so a part begins with the sentences that
the one before ended with. Only within a piece: two pieces have no sentence in common.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

from scorers.questions import Evidence
from scorers.text.sentences import sentences

Weight = Callable[[str], int]
"""What a text takes of the room. That of two texts is at least that of both put together."""

A_PIECE = 32
"""What a piece takes of the room besides its key and its text."""

_UNITS = 4
"""So many units at least make a part: a longer sentence is cut, at a space if it can be."""

_OVERLAP = 16
"""Of this share of the room, or of one unit where that is more."""


class NoRoomError(ValueError):
    """A piece of evidence is called by a name that leaves too little room for its text."""


def chunks(
    evidence: Sequence[Evidence], room: int, weight: Weight, *, overlap: bool = True
) -> list[tuple[Evidence, ...]]:
    """Return the evidence in chunks that fit the room, in order, under the keys that it had.

    Every character stands in some chunk. A piece that had to be cut is no longer `whole`. Raises
    NoRoomError for a key that takes more than half of the room: each part would carry it.
    """
    found: list[tuple[Evidence, ...]] = []
    chunk: list[Evidence] = []
    taken = 0
    for part in _parts(evidence, room, weight, overlap=overlap):
        more = _of_piece(part, weight)
        if chunk and taken + more > room:
            found.append(tuple(chunk))
            chunk, taken = [], 0
        chunk.append(part)
        taken += more
    return [*found, tuple(chunk)] if chunk else found


def weigh(evidence: Sequence[Evidence], weight: Weight) -> int:
    """Return what pieces take of the room."""
    return sum(_of_piece(piece, weight) for piece in evidence)


def _of_piece(piece: Evidence, weight: Weight) -> int:
    return A_PIECE + weight(piece.key) + weight(piece.text)


def _parts(
    evidence: Sequence[Evidence], room: int, weight: Weight, *, overlap: bool
) -> Iterator[Evidence]:
    for piece in evidence:
        left = room - A_PIECE - weight(piece.key)
        if left < room // 2:
            raise NoRoomError
        if weight(piece.text) <= left:
            yield piece
            continue
        for start, end in spans(piece.text, left, weight, overlap=overlap):
            yield replace(piece, text=piece.text[start:end], whole=False)


def spans(
    text: str, room: int, weight: Weight, *, overlap: bool = True
) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text: they cover it, and each begins within the one before."""
    cuts = list(_cuts(text, max(1, room // _UNITS), weight))
    upto = [0, *accumulate(weight(text[start:end]) for start, end in pairwise(cuts))]
    first = 0
    while True:
        last = first + 1
        while last + 1 < len(cuts) and upto[last + 1] - upto[first] <= room:
            last += 1
        yield cuts[first], cuts[last]
        if last + 1 == len(cuts):
            return
        first = _again(upto, first, last, room // _OVERLAP) if overlap else last


def _again(upto: Sequence[int], first: int, last: int, most: int) -> int:
    """Return the unit that the next part begins with: one of this part, but not its first."""
    begin = last - 1
    while begin - 1 > first and upto[last] - upto[begin - 1] <= most:
        begin -= 1
    return max(begin, first + 1)


def _cuts(text: str, most: int, weight: Weight) -> Iterator[int]:
    """Yield where a text may be cut, its ends included: before sentences, and within long ones."""
    starts = [start for start, _ in sentences(text)][1:]
    yield 0
    for start, end in pairwise([0, *starts, len(text)]):
        yield from _within(text, (start, end), most, weight)


def _within(text: str, span: tuple[int, int], most: int, weight: Weight) -> Iterator[int]:
    """Yield the ends of the units of a sentence: halved, until each is light enough."""
    start, end = span
    if end - start <= 1 or weight(text[start:end]) <= most:
        yield end
        return
    middle = (start + end) // 2
    space = text.rfind(" ", start + 1, middle)
    cut = space + 1 if space - start > (end - start) // _UNITS else middle
    yield from _within(text, (start, cut), most, weight)
    yield from _within(text, (cut, end), most, weight)
