"""Many rows at a judge that fails in every way at once: no number comes of it, no slot goes."""

import asyncio
import ctypes
import gc
import json
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple, Never

import pytest
from tenacity.wait import wait_none

from schemas.score import Failed, Scored, ScoreEvent
from scorers.contract import Scorer
from scorers.faithfulness import Faithfulness
from scorers.faithfulness_binary import FaithfulnessBinary
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.concurrency import Concurrency
from scorers.judges.http import HttpClient
from scorers.judges.retrying import RetryingJudge
from streams.pipeline import run
from streams.ports import Message, Record
from streams.scoring.panel import Seat
from tests.fakes import NOON, ListSink, ListSource, a_record, a_trace, no_beats
from tests.leaping import leaping
from tests.streams.moody_judge import STATUSES, Moody
from tests.streams.scoring.half import a_scoring

AT_ONCE = 32


class Left(NamedTuple):
    """What a process at rest holds: blocks of Python's allocator, and bytes of memory in all."""

    blocks: int
    resident: int


def _left() -> Left:
    """Look, once what nobody holds is collected and given back: long replies leave holes behind."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Left(sys.getallocatedblocks(), pages * resource.getpagesize())


@dataclass
class Rows(ListSource):
    """So many rows, each made when it is read.

    Halfway and at the end it waits until every row is done, and looks at what is left of them.
    """

    count: int = 0
    batch: int = 50
    ended: bytearray = field(init=False)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    left: list[Left] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ended = bytearray(self.count)

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        for start in range(0, self.count, self.batch):
            end = min(start + self.batch, self.count)
            yield [
                a_record(a_trace(f"Paris has {n % 100} towers.", id=f"t-{n}"), n)
                for n in range(start, end)
            ]
            if end in {self.count // 2, self.count}:
                await self.idle.wait()
                self.left.append(_left())

    def open(self, record: Record) -> None:
        super().open(record)
        self.idle.clear()

    def done(self, record: Record) -> None:
        self.opened.remove(record.offset)
        self.ended[record.offset] += 1
        if not self.opened:
            self.idle.set()


@dataclass
class Accounts(ListSink):
    """Counts what became of rows."""

    causes: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    attempts: int = 0

    async def publish(self, messages: Sequence[Message]) -> None:
        for event in messages:
            if isinstance(event, ScoreEvent):
                self._note(event)
        await asyncio.sleep(0)

    def _note(self, event: ScoreEvent) -> None:
        json.loads(event.to_json(), parse_constant=_no_number)
        if isinstance(event.outcome, Failed):
            cause = event.outcome.error.cause
            assert cause
        else:
            assert isinstance(event.outcome, Scored)
            assert event.outcome.normalized == 1.0
            cause = ""
        self.causes[event.scorer.name, cause] += 1
        self.attempts += event.usage.attempts


def _no_number(name: str) -> Never:
    raise AssertionError(name)


@dataclass
class Flood:
    """Two scorers that share an endpoint: one is patient, the other asks once."""

    judge: Moody = field(default_factory=Moody)
    limits: Limits = field(default_factory=lambda: Limits(Concurrency(AT_ONCE)))
    accounts: Accounts = field(default_factory=Accounts)

    async def run(self, rows: int, *, timeout_seconds: float = 3) -> list[Left]:
        """Score so many rows, and return what was left of them halfway and at the end."""
        client = HttpClient(
            timeout_seconds=timeout_seconds, in_flight=AT_ONCE, transport=self.judge
        )
        once = BoundedJudge(
            ChatJudge(ChatModel("http://judge.invalid/v1", "m"), client), self.limits
        )
        seats = {
            "faithfulness": self._seat(Faithfulness(), once, retries=2),
            "faithfulness_binary": self._seat(FaithfulnessBinary(), once, retries=0),
        }
        source = Rows((), count=rows)
        scoring = a_scoring(source, self.accounts, seats)
        await run(source, scoring, beats=no_beats(), clock=lambda: NOON, in_flight=2 * AT_ONCE)
        await client.close()
        assert source.ended == b"\1" * rows
        return source.left

    def _seat(self, scorer: Scorer, once: BoundedJudge, *, retries: int) -> Seat:
        judge = RetryingJudge(once, retries, back_off=wait_none(), patience_seconds=1)
        return Seat(scorer, judge, timedelta(seconds=60))

    def reckon(self, rows: int) -> None:
        """Every row ended once a scorer, by the cause that it was dealt; no place is taken."""
        causes, dealt = self.accounts.causes, self.judge.dealt
        asked_once = {why: n for (step, why), n in dealt.items() if step == "statements"}
        ended = {why: n for (name, why), n in causes.items() if name == "faithfulness_binary"}
        patient = sum(n for (name, _), n in causes.items() if name == "faithfulness")
        assert ended == asked_once
        assert (sum(asked_once.values()), patient) == (rows, rows)
        assert causes.total() == 2 * rows
        assert self.accounts.attempts == dealt.total()
        assert self.limits.slots.taken == 0

    async def use_every_place(self) -> None:
        """Ask as often as is allowed at once, with answers only for all of them together."""
        places = self.limits.concurrency.allowed
        self.judge.together, self.accounts = asyncio.Barrier(places), Accounts()
        await self.run(places, timeout_seconds=30)
        assert {why for _, why in self.accounts.causes} == {""}


def test_every_row_ends_as_a_verdict_or_by_the_cause_that_it_was_dealt() -> None:
    leaping(two_hundred())


async def two_hundred() -> None:
    flood = Flood()

    await flood.run(200)

    flood.reckon(200)
    assert {f"http_{status}" for status in STATUSES} < {why for _, why in flood.judge.dealt}
    await flood.use_every_place()


@pytest.mark.service
@pytest.mark.timeout(600)
def test_twenty_thousand_rows_add_up_and_take_no_more_memory_than_the_first_ones() -> None:
    """In a process of its own: one that ran other tests before has memory to give back."""
    command = [sys.executable, "-m", "tests.streams.test_failing_judge"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603

    assert done.returncode == 0, done.stderr[-3000:]


async def twenty_thousand() -> None:
    flood = Flood()

    half, end = await flood.run(20_000)

    flood.reckon(20_000)
    assert end.blocks - half.blocks < 1_000, "something stays of every tenth row"
    assert end.resident - half.resident < 4 * 2**20, "400 bytes stay of every row"
    await flood.use_every_place()


if __name__ == "__main__":
    leaping(twenty_thousand())
