"""A run that ends before its end: by its budget, or while it stands back for live traffic."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

import pytest

from schemas.mark import PartitionProgress
from schemas.run import Spent
from streams.pace import until
from streams.pipeline import run
from streams.replay.asked import Limit
from streams.replay.counted import CountedSink
from streams.replay.gated import gated
from streams.replay.half import Replaying
from streams.replay.halt import IN_A_ROW, Halt
from streams.replay.politeness import Politeness
from streams.replay.spending import Spending
from streams.scoring.earlier import Unknown
from streams.scoring.panel import Seat
from tests.fakes import NOON, CountingJudge, ListSink, ListSource, a_record, a_trace, no_beats
from tests.streams.scored import seat
from tests.streams.scoring.half import a_scoring
from tests.streams.watch.records import a_mark, a_score, at, failed

ROWS = [a_trace(f"Answer {n}.", id=f"row-{n}") for n in range(100)]
IN_FLIGHT = 4


@dataclass
class Life:
    """One life of a run over the rows that an earlier one had not finished."""

    limit: Limit = field(default_factory=Limit)
    before: Spent = field(default_factory=Spent)
    finished: Iterable[int] = ()
    polite: Politeness = field(default_factory=lambda: Politeness(0.3))
    judge: CountingJudge = field(default_factory=CountingJudge)
    sink: ListSink = field(default_factory=ListSink)

    def __post_init__(self) -> None:
        known = set(self.finished)
        self.source = ListSource(
            [a_record(row, n)._replace(finished=n in known) for n, row in enumerate(ROWS)]
        )
        self.halt = Halt(self.source.stop)
        self.spending = Spending(self.limit, partial(self.halt.ask, "budget"), self.before)

    async def live(self, *seats: Seat) -> None:
        panel = {one.scorer.name: one for one in seats or (seat(self.judge),)}
        heeded = self.halt.heeded(gated(panel, self.polite.gate))
        sink = CountedSink(self.sink, (self.spending.published, self.halt.published))
        scoring = a_scoring(self.source, sink, heeded, throttle=self.spending)
        half = Replaying(scoring, Unknown())
        await run(self.source, half, beats=no_beats(), clock=lambda: NOON, in_flight=IN_FLIGHT)


@pytest.mark.parametrize("limit", [Limit(calls=10), Limit(cost_usd=2.5)])
async def test_a_budget_is_exceeded_by_rows_in_flight_alone(limit: Limit) -> None:
    life = Life(limit)

    await life.live()

    assert life.spending.reached is not None
    assert 10 <= len(life.judge.asked) <= 10 + IN_FLIGHT
    assert life.spending.spent.calls == life.spending.spent.judged == len(life.judge.asked)
    assert len(life.sink.scores) == len(life.source.finished) == len(life.judge.asked)


async def test_what_was_not_begun_is_done_once_the_budget_is_raised() -> None:
    first = Life(Limit(calls=10))
    await first.live()
    again = Life(Limit(calls=1000), before=first.spending.spent, finished=first.source.finished)

    await again.live()

    judged = first.judge.asked + again.judge.asked
    assert sorted(judged) == sorted(row.answer or "" for row in ROWS)
    assert again.spending.spent.calls == again.spending.spent.judged == len(ROWS)
    assert again.spending.reached is None


def shut(polite: Politeness) -> None:
    """Let live traffic lag."""
    for second in range(0, 60, 5):
        lag = PartitionProgress(next=0, end=1000 + second, epoch=1)
        polite.hear(a_mark(second, {0: lag}), at(second))
        polite.turn(at(second))
    assert polite.factor == 0.0


async def test_no_row_begins_while_live_traffic_lags_and_all_do_once_it_is_gone() -> None:
    life = Life()
    shut(life.polite)
    going = asyncio.create_task(life.live())
    await asyncio.wait_for(until(lambda: len(life.source.opened) >= IN_FLIGHT), 60)
    asked_meanwhile = list(life.judge.asked)

    life.polite.turn(at(100_000))
    life.polite.turn(at(200_000))
    await asyncio.wait_for(going, 60)

    assert asked_meanwhile == []
    assert len(life.judge.asked) == len(ROWS)


async def test_a_run_that_stands_back_ends_at_once_when_it_is_told_to() -> None:
    life = Life()
    shut(life.polite)
    going = asyncio.create_task(life.live())
    await asyncio.wait_for(until(lambda: len(life.source.opened) >= IN_FLIGHT), 60)

    life.halt.ask("a test")
    await asyncio.wait_for(going, 60)

    assert life.judge.asked == []
    assert life.source.finished == []


def test_verdicts_that_all_fail_end_a_run_and_say_of_what() -> None:
    stopped: list[str] = []
    halt = Halt(lambda: stopped.append("stop"))

    halt.published([a_score(n, 0, failed()) for n in range(IN_A_ROW - 1)])
    halt.published([a_score(0, 0), a_score(0, 0, failed()).model_copy(update={"reused": True})])
    before = halt.because
    halt.published([a_score(n, 0, failed()) for n in range(IN_A_ROW)])

    assert before is None
    assert halt.because == f"{IN_A_ROW} verdicts in a row failed: judge_unavailable"
    assert stopped == ["stop"]
