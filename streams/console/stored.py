"""The watch half's two topics read again from their start, in the order in which they were written.

Replays are passed over (`streams.console.stored_run` reads one).

A mark names the scores before it, so it comes before the first score that it does not name. Where
no marks are left, time is made from the scores (`streams.watch.stored_time`).
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from schemas.mark import Mark, Tick
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import to_milliseconds
from streams.address import Topics
from streams.glance import Glance
from streams.ports import Record
from streams.watch.marks import STOPPED_AFTER, believed
from streams.watch.panes.pane import MINUTE, milliseconds
from streams.watch.partitions import Fault
from streams.watch.reading import UnreadableMessageError, Watched, read_message
from streams.watch.stored_time import Kept, StoredTime


class Told(NamedTuple):
    """A mark or a tick, and when it was written (ms since 1970)."""

    message: Mark | Tick
    written: int

    def precedes(self, kept: Kept) -> bool:
        """Say whether it was told before a record of the scores topic was there."""
        if isinstance(self.message, Mark):
            return self.message.scores <= kept.offset
        return self.written < kept.written


@dataclass(slots=True)
class Stored:
    """Reads live traffic. `lateness` is how long a row may be in coming."""

    glance: Glance
    topics: Topics
    lateness: timedelta
    unreadable: Fault
    _end: int | None = field(default=None, init=False)

    async def partitions(self) -> list[int]:
        """Return the partitions of the scores topic."""
        return sorted(await self.glance.sizes(self.topics.scores))

    async def messages(self, partition: int) -> AsyncIterator[Kept | Mark | Tick]:
        """Yield a partition's scores and tallies, with the marks and ticks of its time."""
        marks = self._told(partition)
        told = await anext(marks, None)
        async for item in self._scores(partition):
            while told is not None and isinstance(item, Kept) and told.precedes(item):
                yield told.message
                told = await anext(marks, None)
            yield item
        while told is not None:
            yield told.message
            told = await anext(marks, None)

    async def _scores(self, partition: int) -> AsyncIterator[Kept | Mark]:
        """Yield the scores, with marks between them for as long as none were kept."""
        time = StoredTime(await self._untold_until(partition), milliseconds(self.lateness))
        async for records in self.glance.onwards(self.topics.scores, partition):
            for record in records:
                for item in time.take(self._kept(record)):
                    yield item
        for item in time.end():
            yield item

    async def _untold_until(self, partition: int) -> int:
        """Return when marks begin, or the writing of scores ends.

        A score half speaks as soon as it runs, and every few seconds: the marks before the first
        that is there are missing only if the scores go further back than such a while.
        """
        async for told in self._told(partition):
            if isinstance(told.message, Mark):
                return to_milliseconds(told.message.at) - STOPPED_AFTER + MINUTE
        if self._end is None:
            numbers = len(await self.partitions())
            last = await self.glance.latest(self.topics.scores, numbers)
            self._end = max((record.timestamp for record in last), default=0)
        return self._end

    async def _told(self, partition: int) -> AsyncIterator[Told]:
        async for records in self.glance.onwards(self.topics.marks, partition):
            for record in records:
                message = _live(self._read(record))
                if isinstance(message, Mark | Tick):
                    yield Told(believed(message, record.timestamp), record.timestamp)

    def _kept(self, record: Record) -> Kept:
        message = _live(self._read(record))
        found = message if isinstance(message, ScoreEvent | Tally) else None
        return Kept(record.offset, record.timestamp, found)

    def _read(self, record: Record) -> Watched | None:
        try:
            return read_message(record.value)
        except UnreadableMessageError as error:
            self.unreadable(record, str(error))
            return None


def _live(message: Watched | None) -> Watched | None:
    """Return what is of live traffic, None for all else."""
    if message is None or isinstance(message, Tick):
        return message
    replayed = isinstance(message, ScoreEvent) and message.mode == "replay"
    return None if replayed or message.run is not None else message
