"""When lines were first seen, which is the time of rows that name none. Pure.

A file has one time for all of its lines, and it moves with every line that is added. A row that is
read again after a crash must be counted in the minute in which it was counted first, so what it was
dated by is written down before it is handed out, beside the group's commits.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Sighting(NamedTuple):
    """Lines below `end` (and not below the sighting before) were there by `at` (milliseconds)."""

    end: int
    at: int


@dataclass(slots=True)
class Sightings:
    """Dates the lines of a partition. `told` are those that rows were dated by, in order."""

    told: list[Sighting] = field(default_factory=list)
    _seen: list[Sighting] = field(init=False)

    def __post_init__(self) -> None:
        self._seen = list(self.told)

    def note(self, end: int, at: int, *, position: int) -> None:
        """Note that the file was last written at `at`, when it had `end` lines.

        Lines below `position` are not asked for again.
        """
        if not self._seen or end > self._seen[-1].end:
            self._seen = [seen for seen in self._seen if seen.end > position]
            self._seen.append(Sighting(end, at))

    def date(self, offset: int, claimed: int | None) -> int:
        """Return the time of a line that was noted: what it claims, but not after it was seen."""
        place = bisect_right(self._seen, offset, key=lambda seen: seen.end)
        found = self._seen[place]
        if claimed is not None and claimed <= found.at:
            return claimed
        if not self.told or found.end > self.told[-1].end:
            self.told.append(found)
        return found.at

    def from_(self, offset: int) -> Sequence[Sighting]:
        """Return what was told of lines from an offset on, and forget the rest."""
        self.told = [told for told in self.told if told.end > offset]
        return tuple(self.told)
