"""What time it is for traces that wait: live by our clock, afterwards by the records'. Pure.

In milliseconds since 1970. Both stand while what is waited for could not have come.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from streams.ports import Progress, Record

Stand = Callable[[], Mapping[int, Progress]]


class Time(Protocol):
    """What the stage tells of what it reads, and asks how late it is."""

    def saw(self, record: Record) -> None:
        """Note a record that was read."""
        ...

    def look(self, now: int, progress: Stand) -> int:
        """Return how late it is for traces, given the clock and where each partition stands."""
        ...

    def of(self, record: Record) -> int:
        """Return when a record came that was just seen: not before the time of all."""
        ...


@dataclass(slots=True)
class ProcessingTime:
    """Our clock, which is looked at often: of a longer pause only `longest` counts.

    A process that stood still has read nothing meanwhile, and what waits has not been quiet.
    """

    longest: int = 2_000
    _last: int | None = None
    _time: int = 0

    def saw(self, record: Record) -> None:
        """What records say is of no interest."""

    def look(self, now: int, progress: Stand) -> int:
        """Return the time that was spent reading, from the first look on."""
        if self._last is None:
            self._time = now
        else:
            self._time += min(max(0, now - self._last), self.longest)
        self._last = now
        return self._time

    def of(self, record: Record) -> int:
        """Return the time at which it was read."""
        return self._time


@dataclass(slots=True)
class RecordTime:
    """The time of the records that were read: of the partition that has got least far.

    A partition that was read to its end holds nobody up; one with records to come, of which none
    was seen yet, holds time where it is. Time begins with the first record that was seen.
    """

    _latest: dict[int, int] = field(default_factory=dict)
    _next: dict[int, int] = field(default_factory=dict)
    _time: int = 0

    def saw(self, record: Record) -> None:
        """Note how far its partition has got."""
        number = record.partition
        self._latest[number] = max(record.timestamp, self._latest.get(number, 0))
        self._next[number] = record.offset + 1

    def look(self, now: int, progress: Stand) -> int:
        """Return the least of the partitions' times."""
        behind = [n for n, at in progress().items() if self._next.get(n, at.next) < at.end]
        if not self._time or all(number in self._latest for number in behind):
            times = [self._latest[number] for number in behind if number in self._latest]
            self._time = max(min(times or self._latest.values(), default=0), self._time)
        return self._time

    def of(self, record: Record) -> int:
        """Return its partition's own time, which may be ahead of that of all."""
        return max(self._latest.get(record.partition, 0), self._time)
