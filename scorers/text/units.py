"""What is split into sentences on its own: a line of an answer, with those that go on with it."""

# ruff: noqa: RUF001 (letters that look alike are the subject here)

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from scorers.text.layout import Kind, Layout, Line
from scorers.text.markers import Marker

_HOLE = "\x00"
_EMPTIED = re.compile(r"[(\[（［【] ?\x00[\x00 ]*+[)\]）］】]")
_SPACE_BEFORE = re.compile(r" (?=[.,;:!?](?:[\s.,;:!?)\]}\"'”’»*_]|$))")
_SPACES = re.compile(r"\s+")
_JOINS_NOT = frozenset(".!?…。！？｡؟۔।॥:：")


@dataclass(frozen=True, slots=True)
class Unit:
    """[start, end) of an answer, what its first line is, and the markers in it, in order."""

    start: int
    end: int
    kind: Kind
    after_gap: bool
    markers: tuple[Marker, ...]


def units(layout: Layout, markers: Sequence[Marker]) -> Iterator[Unit]:
    """Yield the units of an answer in order, each with its own markers."""
    first = 0
    shared = _by_line(layout.lines, markers)
    for number, line in enumerate(layout.lines):
        last = number + 1 == len(layout.lines)
        if not last and _goes_on(layout, number, shared[number], shared[number + 1]):
            continue
        own = tuple(chain.from_iterable(shared[first : number + 1]))
        opening = layout.lines[first]
        yield Unit(opening.start, line.end, opening.kind, opening.after_gap, own)
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


def without_markers(text: str, start: int, end: int, markers: Sequence[Marker]) -> str:
    """Return [start, end) without the markers and the holes they leave, white space made one."""
    pieces, at = [], start
    first = bisect_left(markers, start, key=lambda marker: marker.start)
    for number in range(first, len(markers)):
        marker = markers[number]
        if marker.start >= end:
            break
        pieces += [text[at : marker.start], _HOLE]
        at = marker.end
    pieces.append(text[at:end])
    joined = _SPACES.sub(" ", "".join(pieces))
    # A bracket around a bracket that is emptied is emptied too.
    joined = _EMPTIED.sub("", _EMPTIED.sub(_HOLE, joined)).replace(_HOLE, "")
    return _SPACES.sub(" ", _SPACE_BEFORE.sub("", _SPACES.sub(" ", joined))).strip()
