"""Holes in what a host delivers of a partition: asked for again, but where the log has them. Pure.

A host may pass rows over, and may stop delivering a partition. Offsets tell: the next row has the
next one, but where the log itself has a hole (its begin that was deleted, a marker of a
transaction). The log is asked, and nobody else is believed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

PATIENCE_SECONDS = 5.0
"""How long a row that is due may stay away before it is asked for again."""

AGAIN_SECONDS = 1.0
"""After how long they are asked for again where later ones came: a host may pass them over again,
for those that it had read ahead."""

DEAD_SECONDS = 60.0
"""After how long a host is dead that is asked for rows that are there, and delivers none."""


class Part(NamedTuple):
    """One partition of one topic."""

    topic: str
    partition: int


@dataclass(slots=True)
class _Awaited:
    """The offset that is due, since when it is awaited, and when it was `asked` for first.

    Asking begins the wait anew. `first` is the first row that the log has at or behind the due one,
    where that is known. `missed`: rows behind it came instead.
    """

    due: int
    since: float
    first: int = 0
    asked: float | None = None
    missed: bool = False


@dataclass(slots=True)
class Gaps:
    """What is due of each partition. All instants are seconds of one clock that only rises."""

    _parts: dict[Part, _Awaited] = field(default_factory=dict)

    def begin(self, part: Part, *, due: int, now: float) -> None:
        """Expect the rows of a partition from offset `due` on."""
        self._parts[part] = _Awaited(due, now)

    def knows(self, part: Part) -> bool:
        """Say whether rows of a partition are expected."""
        return part in self._parts

    def due(self, part: Part) -> int:
        """Return the offset that is due."""
        return self._parts[part].due

    def wonders(self, part: Part, offset: int) -> bool:
        """Say whether the log is to be asked: a row comes too early, as none did before."""
        awaited = self._parts[part]
        return offset > max(awaited.due, awaited.first) and not awaited.missed

    def found(self, part: Part, first: int) -> None:
        """Note which row of a partition is the first at or behind the due one."""
        self._parts[part].first = first

    def takes(self, part: Part, offset: int, *, now: float) -> bool:
        """Say whether a row has its turn: else it was taken before, or comes too early."""
        awaited = self._parts[part]
        if offset < awaited.due:
            return False
        if offset > max(awaited.due, awaited.first):
            awaited.missed = True
            return False
        self._parts[part] = _Awaited(offset + 1, now)
        return True

    def overdue(self, ends: Mapping[Part, int], *, now: float) -> list[Part]:
        """Return the partitions to be read again from the offset that is due.

        `ends` are the offsets behind the last rows of the logs.
        """
        return [part for part, awaited in self._behind(ends) if _is_overdue(awaited, now)]

    def stuck(self, ends: Mapping[Part, int], *, now: float) -> list[Part]:
        """Return the partitions that were asked for again and again, in vain."""
        return [
            part
            for part, awaited in self._behind(ends)
            if awaited.asked is not None and now >= awaited.asked + DEAD_SECONDS
        ]

    def asked(self, part: Part, *, first: int, now: float) -> int:
        """Note that a partition is read again, and return from where: its `first` row."""
        awaited = self._parts[part]
        awaited.since, awaited.first, awaited.missed = now, first, False
        awaited.asked = now if awaited.asked is None else awaited.asked
        return max(awaited.due, first)

    def beyond(self, ends: Mapping[Part, int], *, now: float) -> list[Part]:
        """Return the partitions that lost rows which were taken: they end before the due one.

        `now` is an instant before the ends were asked for.
        """
        return [
            part
            for part, awaited in self._parts.items()
            if awaited.due > ends.get(part, awaited.due)
            and now >= awaited.since + PATIENCE_SECONDS  # else one may have come since
        ]

    def forget(self) -> None:
        """Forget everything: the partitions may be another's."""
        self._parts.clear()

    def _behind(self, ends: Mapping[Part, int]) -> list[tuple[Part, _Awaited]]:
        return [(part, one) for part, one in self._parts.items() if one.due < ends.get(part, 0)]


def _is_overdue(awaited: _Awaited, now: float) -> bool:
    if awaited.missed and awaited.asked is None:
        return True
    return now >= awaited.since + (AGAIN_SECONDS if awaited.missed else PATIENCE_SECONDS)
