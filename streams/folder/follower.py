"""Reading topics without a group: from their start, on and on or to their end. Writes nothing."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from streams.folder.interleaving import Allowed, Cursor, as_they_come
from streams.folder.log import LogReader
from streams.folder.polling import Sleep, in_turn, poll
from streams.folder.topic import (
    ROWS,
    TopicPartition,
    known_topic_id,
    partition_files,
    plain_name,
    records,
)
from streams.ports import Progress, Record

Where = tuple[str, int]
"""A topic and a partition."""


@dataclass(slots=True)
class Follower:
    """A `Source` whose reader keeps no books: nothing is committed, and everything is ours.

    `find` names the files; what it finds later is read from its start. With `end_at_end` the
    reading ends at what is there when it begins. `allowed` says whose turn it is. With `new_only`
    what is there when it begins is left out.
    """

    find: Callable[[], Mapping[Where, Path]]
    end_at_end: bool = False
    sleep: Sleep = asyncio.sleep
    allowed: Allowed = as_they_come
    new_only: bool = False
    _cursors: dict[Where, Cursor] = field(default_factory=dict)
    _turn: deque[Where] = field(default_factory=deque)
    _ends: dict[Where, int] = field(default_factory=dict)
    _open: set[tuple[str, int, int]] = field(default_factory=set)
    _undecided: bool = False
    _stopped: bool = False

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches, each of one partition in order; partitions take turns."""
        self._look()
        for where, cursor in self._cursors.items():
            await asyncio.to_thread(cursor.log.grow_all)
            self._ends[where] = cursor.log.end
            cursor.offset = cursor.log.end if self.new_only else 0
        async for batch in poll(self._take, ended=self._ended, sleep=self.sleep):
            self._undecided = True
            yield batch

    def _look(self) -> None:
        for where, file in self.find().items():
            if where not in self._cursors:
                place = TopicPartition(*where, known_topic_id(file.parent))
                self._cursors[where] = Cursor(place, LogReader(file))
                self._turn.append(where)

    def _take(self) -> list[Record]:
        batch = in_turn(self._turn, self._read)
        if not batch:
            self._look()
        return batch

    def _read(self, where: Where) -> list[Record]:
        cursor = self._cursors[where]
        cursor.log.grow()
        batch, cursor.offset = records(
            cursor.log,
            cursor.offset,
            rows=self._rows(where, cursor.offset),
            place=cursor.place,
        )
        return batch

    def _rows(self, where: Where, offset: int) -> int:
        allowed = self.allowed(where, self._cursors)
        rows = ROWS if allowed is None else min(ROWS, allowed)
        return min(rows, self._ends.get(where, 0) - offset) if self.end_at_end else rows

    def _ended(self) -> bool:
        at_end = all(self._cursors[where].offset >= end for where, end in self._ends.items())
        return self._stopped or (self.end_at_end and at_end)

    def caught_up(self) -> bool:
        """Say whether everything that is there was handed out, and is done with."""
        if self._undecided or self._open:
            return False
        for cursor in self._cursors.values():
            cursor.log.grow()
        return all(cursor.offset >= cursor.log.end for cursor in self._cursors.values())

    def open(self, record: Record) -> None:
        """Note that a record has work to do."""
        self._open.add((record.topic, record.partition, record.offset))

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that a batch is decided."""
        self._undecided = False

    def done(self, record: Record) -> None:
        """Note that a record's work is done."""
        self._open.discard((record.topic, record.partition, record.offset))

    async def owns(self, record: Record) -> bool:
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
        return 1 + max((partition for _, partition in self._cursors), default=0)

    def stop(self) -> None:
        """End `batches` within 100 ms."""
        self._stopped = True


def follow(
    root: Path,
    topics: Sequence[str],
    *,
    end_at_end: bool = False,
    sleep: Sleep = asyncio.sleep,
    allowed: Allowed = as_they_come,
) -> Follower:
    """Return a reader of all partitions of the topics, those to come included."""
    folders = {topic: root / plain_name(topic) for topic in topics}

    def find() -> Mapping[Where, Path]:
        return {
            (topic, partition): file
            for topic, folder in folders.items()
            for partition, file in partition_files(folder).items()
        }

    return Follower(find, end_at_end, sleep, allowed)


def follow_new(root: Path, topics: Sequence[str]) -> Follower:
    """Return a reader of what comes to the topics from now on."""
    follower = follow(root, topics)
    follower.new_only = True
    return follower


def follow_file(file: Path, topic: str, *, end_at_end: bool = True) -> Follower:
    """Return a reader of one file as partition 0 of a topic: no folder is needed."""
    return Follower(lambda: {(topic, 0): file}, end_at_end)
