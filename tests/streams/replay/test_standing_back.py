"""Rows of a run wait while live traffic says on its topics that it is in trouble (F56)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from schemas.mark import Mark, PartitionProgress
from schemas.tally import Tally
from streams.address import Topics
from streams.beside import beside
from streams.folder.follower import Follower, follow
from streams.folder.sink import FolderSink
from streams.pace import until
from streams.ports import Record
from streams.replay.gated import gated
from streams.replay.overhearing import overhear
from streams.replay.politeness import GONE, STEP, Politeness
from streams.scoring.panel import Seat
from tests.fakes import CountingJudge, PlainScorer, a_trace
from tests.streams.watch.records import a_mark, a_tally, at

TOPICS = Topics()
A_ROW = a_trace()


@dataclass
class Heard:
    """A follower that says how many records were taken in."""

    follower: Follower
    taken_in: int = 0

    def batches(self) -> AsyncIterator[Sequence[Record]]:
        return self.follower.batches()

    def passed(self, batch: Sequence[Record]) -> None:
        self.follower.passed(batch)
        self.taken_in += len(batch)


@dataclass
class Beside:
    """Live traffic that writes to its topics, and a seat of a run beside it. Time is told."""

    sink: FolderSink
    heard: Heard
    polite: Politeness = field(default_factory=lambda: Politeness(0.3))
    judge: CountingJudge = field(default_factory=CountingJudge)
    second: float = 0

    def clock(self) -> datetime:
        return at(self.second)

    @property
    def seat(self) -> Seat:
        seat = Seat(PlainScorer(), self.judge, timedelta(seconds=60))
        return gated({"plain": seat}, self.polite.gate)["plain"]

    async def live_is_behind(self, rows: int, *, end: int) -> None:
        await self._heard(
            a_mark(self.second, {0: PartitionProgress(next=end - rows, end=end, epoch=1)})
        )

    async def live_sheds(self) -> None:
        await self._heard(a_tally(self.second, rows=(0, 9), shed=3))

    async def _heard(self, message: Mark | Tally) -> None:
        before = self.heard.taken_in
        await (
            self.sink.mark(message) if isinstance(message, Mark) else self.sink.publish([message])
        )
        await until(lambda: self.heard.taken_in > before)

    async def a_row_waits(self) -> "asyncio.Task[object]":
        """Begin a row once the run stands back; return it when it had its chance."""
        await until(lambda: self.polite.factor == 0)
        row = asyncio.create_task(self.seat.judged(A_ROW))
        for _ in range(50):
            await asyncio.sleep(0)
        assert self.judge.asked == []
        return row


@asynccontextmanager
async def beside_live(root: Path) -> AsyncIterator[Beside]:
    follower = Heard(follow(root, (TOPICS.marks, TOPICS.scores)))
    async with FolderSink(root, TOPICS, lambda: at(0), "g", "0") as sink:
        live = Beside(sink, follower)
        turn = timedelta(milliseconds=1)
        async with beside(overhear(live.polite, [follower], clock=live.clock, turn=turn)):
            yield live


async def test_a_run_asks_nothing_while_live_traffic_lags_and_goes_on_after(tmp_path: Path) -> None:
    async with beside_live(tmp_path) as live:
        await live.live_is_behind(0, end=1000)
        live.second = 20
        await live.live_is_behind(700, end=1200)  # at 600 rows a minute
        row = await live.a_row_waits()

        live.second = 40
        await live.live_is_behind(50, end=1400)
        live.second = 40 + STEP.total_seconds()
        await row

    assert len(live.judge.asked) == 1


async def test_a_run_asks_nothing_while_live_traffic_sheds_and_goes_on_after(
    tmp_path: Path,
) -> None:
    async with beside_live(tmp_path) as live:
        await live.live_is_behind(0, end=1000)
        await live.live_sheds()
        row = await live.a_row_waits()

        live.second = (GONE + STEP).total_seconds()
        await live.live_is_behind(0, end=2000)
        await row

    assert len(live.judge.asked) == 1
