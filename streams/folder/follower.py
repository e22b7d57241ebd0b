"""Reading topics without a group: from their start, on and on or to their end. Writes nothing."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from streams.folder.log import LogReader
from streams.folder.polling import Sleep, in_turn, poll
from streams.folder.topic import ROWS, Place, partition_files, plain_name, records
from streams.ports import Progress, Record


@dataclass(slots=True)
class _Reading:
    log: LogReader
    offset: int = 0


@dataclass(slots=True)
class Follower:
    """A `Source` whose reader keeps no books: nothing is committed, and everything is ours.

    `find` names the files; what it finds later is read from its start. With `end_at_end` the
    reading ends at what is there when it begins.
    """

    find: Callable[[], Mapping[Place, Path]]
    end_at_end: bool = False
    sleep: Sleep = asyncio.sleep
    _readings: dict[Place, _Reading] = field(default_factory=dict)
    _turn: deque[Place] = field(default_factory=deque)
    _ends: dict[Place, int] = field(default_factory=dict)
    _stopped: bool = False

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches, each of one partition in order; partitions take turns."""
        self._look()
        for place, reading in self._readings.items():
            await asyncio.to_thread(reading.log.grow_all)
            self._ends[place] = reading.log.end
        async for batch in poll(self._take, ended=self._ended, sleep=self.sleep):
            yield batch

    def _look(self) -> None:
        for place, file in self.find().items():
            if place not in self._readings:
                self._readings[place] = _Reading(LogReader(file))
                self._turn.append(place)

    def _take(self) -> list[Record]:
        batch = in_turn(self._turn, self._read)
        if not batch:
            self._look()
        return batch

    def _read(self, place: Place) -> list[Record]:
        reading = self._readings[place]
        reading.log.grow()
        batch, reading.offset = records(
            reading.log,
            reading.offset,
            rows=self._rows(place, reading.offset),
            place=place,
        )
        return batch

    def _rows(self, place: Place, offset: int) -> int:
        return min(ROWS, self._ends.get(place, 0) - offset) if self.end_at_end else ROWS

    def _ended(self) -> bool:
        at_end = all(self._readings[place].offset >= end for place, end in self._ends.items())
        return self._stopped or (self.end_at_end and at_end)

    def open(self, record: Record) -> None:
        """No books are kept."""

    def passed(self, batch: Sequence[Record]) -> None:
        """No books are kept."""

    def done(self, record: Record) -> None:
        """No books are kept."""

    def holds(self, record: Record) -> bool:
        """Everything is ours."""
        return True

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """No books are kept."""

    def progress(self) -> Mapping[int, Progress]:
        """Nobody asks how far a reader of everything has got."""
        return {}

    @property
    def partitions(self) -> int:
        """How many partitions there are, counted over the topic that has most."""
        return 1 + max((partition for _, partition in self._readings), default=0)

    def stop(self) -> None:
        """End `batches` within 100 ms."""
        self._stopped = True


def follow(
    root: Path, topics: Sequence[str], *, end_at_end: bool = False, sleep: Sleep = asyncio.sleep
) -> Follower:
    """Return a reader of all partitions of the topics, those to come included."""
    folders = {topic: root / plain_name(topic) for topic in topics}

    def find() -> Mapping[Place, Path]:
        return {
            (topic, partition): file
            for topic, folder in folders.items()
            for partition, file in partition_files(folder).items()
        }

    return Follower(find, end_at_end, sleep)


def follow_file(file: Path, topic: str, *, end_at_end: bool = True) -> Follower:
    """Return a reader of one file as partition 0 of a topic: no folder is needed."""
    return Follower(lambda: {(topic, 0): file}, end_at_end)
