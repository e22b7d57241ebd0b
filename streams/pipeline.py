"""The whole flow, top to bottom.

    traces topic -> draw -> decode -> score -> scores topic
    scores and marks topics -> fold -> windows and alerts topics

Two halves with a topic between them: scoring is slow, and each worker sees only some traces;
watching is quick, and needs all scores of an assistant, so they are keyed by it. `run` drives both.

An error goes one of three ways:
    a record that cannot be read    is rejected, and the flow goes on
    a judge that cannot be reached  makes one outcome `error`, and the flow goes on
    anything else                   stops the process, with the record not done
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schemas.rejection import Rejection
from schemas.score import Failed
from schemas.trace import RagTrace
from scorers.asking.ours import NotOursError, check_ours, only_while
from scorers.asking.together import ask_all
from streams.pace import keep_time
from streams.ports import Clock, Half, Message, Record, Sink, Source, W
from streams.scoring.books import Books
from streams.scoring.chances import Chance
from streams.scoring.events import Sampled, Scorecard, read
from streams.scoring.panel import Seat
from streams.scoring.resuming import resumed
from streams.scoring.sampling import Sampler
from streams.scoring.throttle import Throttle, Unthrottled
from streams.watch.partitions import Watches


async def run(
    source: Source, half: Half[W], *, beats: AsyncIterator[datetime], clock: Clock, in_flight: int
) -> None:
    """Admit records in order; finish them in any order, at most `in_flight` at a time."""
    slots = asyncio.Semaphore(in_flight)

    async def finish(record: Record, work: W) -> None:
        try:
            with only_while(lambda: source.owns(record)):
                await check_ours()
                await half.finish(record, work)
            source.done(record)
        except NotOursError:
            pass  # whoever has its partition now works on it too
        finally:
            slots.release()

    async with asyncio.TaskGroup() as tasks:
        timekeeper = tasks.create_task(keep_time(half, beats))
        async for batch in source.batches():
            for record, work in half.admit(batch):
                source.open(record)
                await slots.acquire()
                tasks.create_task(finish(record, work))
            source.passed(batch)
            if half.due:
                tasks.create_task(half.settle(clock()))
        for _ in range(in_flight):  # once every slot is free, nothing is in flight
            await slots.acquire()
        timekeeper.cancel()
    await half.settle(clock(), everything=True)
    await half.beat(clock())


@dataclass(frozen=True, slots=True)
class Scoring:
    """The first half: what happens to one row."""

    sampler: Sampler
    decode: Callable[[Record], RagTrace | Rejection]
    panel: Mapping[str, Seat]
    scorecard: Scorecard
    sink: Sink
    books: Books
    clock: Clock
    throttle: Throttle = field(default_factory=Unthrottled)

    def admit(self, batch: Sequence[Record]) -> list[tuple[Record, Sampled | Rejection]]:
        """Draw and tally every row, and read what was drawn. The rest costs one hash."""
        work: list[tuple[Record, Sampled | Rejection]] = []
        draws = self.sampler.draws(batch)
        for n, draw in draws.others.items():
            row = read(record := batch[n], draw, self.decode)
            draws.others[n], left = resumed(record, row, self.panel, self.sampler.chances)
            if left is not None:
                work.append((record, left))
        self.books.tallying.count(batch, draws)
        self.throttle.count(draws)
        return work

    async def finish(self, record: Record, work: Sampled | Rejection) -> None:
        """Score and publish, or set aside; what is not worth keeping is done with."""
        if isinstance(work, Sampled):
            await ask_all(self._score(work, chance) for chance in work.draw.drawn)
        elif work.kept:
            await self.sink.reject(record, work, at=self.clock())

    async def _score(self, row: Sampled, chance: Chance) -> None:
        judged = await self.panel[chance.scorer].judged(row.trace)
        self.throttle.spend(judged.usage)
        if isinstance(judged.outcome, Failed):
            # What comes first counts: our error would hide the verdict of whoever has the row now.
            await check_ours()
        await self.sink.publish([self.scorecard.event(row, chance, judged, at=self.clock())])

    @property
    def due(self) -> bool:
        """Say whether a block of tallies is full."""
        return self.books.tallying.full

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Write the tallies of ended blocks."""
        await self.books.settle(now, everything=everything)

    async def beat(self, now: datetime) -> None:
        """Settle what is old enough, and tell the watch half how far time has got."""
        self.throttle.beat(now)
        await self.books.beat(now)


@dataclass(frozen=True, slots=True)
class Watching:
    """The second half, hosted by a plain loop. Run it one at a time: order is meaning here."""

    watches: Watches
    sink: Sink
    caught_up: Callable[[], bool]
    due: bool = field(default=False, init=False)

    def admit(self, batch: Sequence[Record]) -> list[tuple[Record, Sequence[Message]]]:
        """Fold the records in, and return what they change."""
        return [(record, news) for record in batch if (news := self.watches.fold(record))]

    async def finish(self, record: Record, work: Sequence[Message]) -> None:
        """Publish what a record changed."""
        await self.sink.publish(work)

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Nothing is held back."""

    async def beat(self, now: datetime) -> None:
        """Let time pass where no record says so: only once all that was there before is folded."""
        if self.caught_up():
            await self.sink.publish(self.watches.tick(now))
