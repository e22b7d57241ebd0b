"""The stage before scoring: spans in, rows out.

    spans topic -> wanted? -> read -> open traces -> rows -> traces topic
                                                      '-> records that nobody needs now are done

A record stays open until every trace in it is written, so a restart reads again what was waiting.
Rows that an earlier life had written by then are known by their headers, and not written twice.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Protocol

from schemas.rejection import Rejection
from schemas.wire import to_milliseconds
from streams.address import Letter
from streams.assemble.closing import Closed
from streams.assemble.keyed import KeyCheck
from streams.assemble.letters import RowLetters
from streams.assemble.open_traces import OpenTraces
from streams.assemble.otlp import SpanReader, UnreadableSpansError
from streams.assemble.places import RecordRef
from streams.assemble.times import Time
from streams.ports import Clock, Record, Source

AT_ONCE = 100
"""Traces that are turned into rows before anybody else gets a turn."""


class Post(Protocol):
    """Takes rows and dead letters. Returns once they are safely written. Both sinks are one."""

    async def send(self, letters: Sequence[Letter]) -> None:
        """Write each letter to its topic."""
        ...

    async def fits(self, sent: Letter) -> bool:
        """Say whether its topic takes a letter of that size."""
        ...

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Set a record aside."""
        ...


@dataclass(slots=True)
class Assembling:
    """Hosts the open traces between a source of spans and the topic of rows.

    `counts`: records that nothing was waited for of. With `ends`, the end of the source is that of
    every trace; a stop never is.
    """

    source: Source
    post: Post
    read: SpanReader
    keyed: KeyCheck
    traces: OpenTraces
    letters: RowLetters
    time: Time
    clock: Clock
    ends: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    _closed: list[Closed] = field(default_factory=list)
    _rejected: list[tuple[Record, Rejection]] = field(default_factory=list)
    _last: dict[int, Record] = field(default_factory=dict)
    """The last record of each partition."""
    _busy: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, beats: AsyncIterator[datetime]) -> None:
        """Assemble until the source ends. Raises what an edge raises, and NotKeyedError."""
        async with asyncio.TaskGroup() as tasks:
            timekeeper = tasks.create_task(self._keep_time(beats))
            async for batch in self.source.batches():
                await self.take(batch)
                await self.settle()
            async with self._busy:  # what is being written is not cut off
                timekeeper.cancel()
        if self.ends:
            self._closed += self.traces.end()
        await self.settle()

    def stop(self) -> None:
        """End soon. What is open is not written: whoever comes next reads it again."""
        self.ends = False
        self.source.stop()

    @property
    def figures(self) -> dict[str, dict[str, int]]:
        """What became of records, spans, traces and rows since the start, and what waits."""
        return {
            "records": dict(self.counts),
            "spans": dict(self.traces.counts),
            "traces": dict(self.traces.closed),
            "rows": dict(self.letters.dialects),
            "unwritten": dict(self.letters.counts),
            "missing": {" ".join(what): n for what, n in self.letters.missing.items()},
            "waiting": {"traces": len(self.traces), "bytes": self.traces.bytes},
        }

    async def _keep_time(self, beats: AsyncIterator[datetime]) -> None:
        async for _ in beats:
            await self.settle()

    async def take(self, batch: Sequence[Record]) -> None:
        """Take the spans of a batch of one partition."""
        async with self._busy:
            now, progress = to_milliseconds(self.clock()), cache(self.source.progress)
            for record in batch:
                self.time.saw(record)
                self._take(record, self.time.look(now, progress))
            last = batch[-1]
            self.source.passed(batch)
            self.source.seal(last.partition, to=last.offset + 1, epoch=last.epoch)

    def _take(self, record: Record, now: int) -> None:
        known = self._last.get(record.partition)
        if known is not None and known.epoch != record.epoch:
            self._lose(record.partition)
        self._last[record.partition] = record
        wanted = self.keyed.wanted(record)
        if wanted is None or not record.value:
            self.counts["unsampled" if record.value else "empty"] += 1
            return
        try:
            spans = self.keyed.checked(record, self.read(record.value, wanted))
        except UnreadableSpansError as error:
            if not record.finished:
                self.source.open(record)
                self._rejected.append((record, Rejection(error.code, error.detail)))
            return
        if record.finished:
            self.traces.decide({span.trace_id for span in spans})
            return
        self.letters.know(record.published)
        place = RecordRef(record.partition, record.offset, record.epoch)
        self._closed += self.traces.add(spans, place, now=now, at=self.time.of(record))
        if self.traces.holds(place):
            self.source.open(record._replace(value=None))  # its bytes are not kept

    async def settle(self) -> None:
        """Write what is due, and be done with the records that nobody needs any more."""
        async with self._busy:
            for number, record in list(self._last.items()):
                if not await self.source.owns(record):
                    self._lose(number)
            await self._set_aside()
            now = self.time.look(to_milliseconds(self.clock()), self.source.progress)
            closed, self._closed = [*self._closed, *self.traces.due(now)], []
            for start in range(0, len(closed), AT_ONCE):
                await self._write(closed[start : start + AT_ONCE])

    async def _set_aside(self) -> None:
        rejected, self._rejected = self._rejected, []
        for record, rejection in rejected:
            await self.post.reject(record, rejection, at=self.clock())
            self.counts["rejected"] += 1
            self.source.done(record)

    async def _write(self, closed: Sequence[Closed]) -> None:
        letters = []
        for one in closed:
            if self.traces.unwritten(one.trace_id):
                letters += [letter async for letter in self._fitting(one)]
        await self.post.send(letters)
        for one in closed:
            self._done(self.traces.written(one.trace_id))
        await asyncio.sleep(0)

    async def _fitting(self, closed: Closed) -> AsyncIterator[Letter]:
        """Yield a trace's rows; of one that no topic takes, the dead letters say where it was."""
        first = closed.first
        record = self._last[first.partition]._replace(offset=first.offset, value=None, headers=())
        for letter in self.letters.of(closed, record):
            if await self.post.fits(letter):
                yield letter
                continue
            rejection = Rejection("row_too_large", f"{len(letter.value)} bytes")
            await self.post.reject(record._replace(key=letter.key), rejection, at=self.clock())
            self.letters.counts["too_large"] += 1

    def _lose(self, partition: int) -> None:
        """Drop what waits in a partition that is no longer ours as it was."""
        del self._last[partition]
        self._done(self.traces.lose(partition))

    def _done(self, places: Iterable[RecordRef]) -> None:
        for partition, offset, epoch in places:
            if (last := self._last.get(partition)) is not None:
                self.source.done(last._replace(offset=offset, epoch=epoch))
