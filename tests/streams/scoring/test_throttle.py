"""A budget and a backlog at work on the score half, under a played clock and with known truth."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from structlog.testing import capture_logs

from schemas.score import Outcome, Scored, ScoreEvent, Usage
from schemas.tally import Tally
from schemas.trace import RagTrace
from schemas.wire import to_milliseconds
from scorers.contract import Answer, JudgeIdentity
from scorers.questions import Question, VerifyClaims
from streams.intake.decode import Intake
from streams.pipeline import Scoring
from streams.ports import Progress, Record
from streams.scoring.allowance import allowances
from streams.scoring.books import Books
from streams.scoring.budget import START, Budget
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler, Stratum
from streams.scoring.tallying import Tallying
from streams.scoring.throttle import Throttled
from tests.fakes import A, ListSink, ListSource, PlainScorer

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
INTAKE = Intake()
BUSY, QUIET = "shop/production", "bank/production"


@dataclass
class PricedJudge:
    """Answers everything; a claim costs a cent, and those of every tenth one three."""

    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("priced", "1"))
    asked: int = 0

    async def ask(self, question: Question[A]) -> Answer[A]:
        assert isinstance(question.about, VerifyClaims)
        self.asked += 1
        cents = 3 if self.asked % 10 == 0 else 1
        return Answer(question.read(""), Usage(calls=1, attempts=1, cost_usd=cents / 100))


@dataclass
class Worker:
    """The score half of one process. Its clock is set, and its rows are handed to it."""

    probability: float = 1.0
    strata: Sequence[Stratum] = ()
    cost_per_day: float | None = None
    calls_per_hour: float | None = None
    now: datetime = MIDNIGHT
    read: int = 0
    unread: int = 0
    judge: PricedJudge = field(default_factory=PricedJudge)
    sink: ListSink = field(default_factory=ListSink)

    def __post_init__(self) -> None:
        limits = allowances(self.calls_per_hour, self.cost_per_day, began=self.now)
        sampler = BodySampler(
            "streamgauge", self.probability, self.strata, {"plain": None}, INTAKE.head
        )
        tallying, source = Tallying(sampler.chances, lambda: self.now), _Standing(self)
        self.budget = Budget(self.now, limits)
        self.half = Scoring(
            sampler=sampler,
            decode=INTAKE.decode,
            panel={"plain": Seat(PlainScorer(), self.judge, MINUTE)},
            scorecard=Scorecard("body", "none"),
            sink=self.sink,
            books=Books(tallying, source, self.sink, "worker"),
            clock=lambda: self.now,
            throttle=Throttled(self.budget, sampler, tallying, source),
        )

    async def minute(self, rows: Sequence[RagTrace]) -> None:
        """Judge a minute's rows, and let the minute pass."""
        records = [self._record(row) for row in rows]
        for start in range(0, len(records), 256):
            for record, work in self.half.admit(records[start : start + 256]):
                await self.half.finish(record, work)
        self.now += MINUTE
        await self.half.beat(self.now)

    def _record(self, row: RagTrace) -> Record:
        self.read += 1
        at = to_milliseconds(row.answered_at)
        return Record("rag.traces", 0, self.read - 1, None, row.to_json(), at)


class _Standing(ListSource):
    """A partition of which a worker has read so much, while so much more is there."""

    def __init__(self, worker: Worker) -> None:
        super().__init__([])
        self.worker = worker

    def progress(self) -> Mapping[int, Progress]:
        read = self.worker.read
        return {0: Progress(read, read + self.worker.unread, 0)}


def a_row(number: int, *, at: datetime, assistant: str = BUSY, bad: bool = False) -> RagTrace:
    service, _, environment = assistant.partition("/")
    answer = "Lyon." if bad else "Paris."
    return RagTrace(
        trace_id=f"row-{number}",
        service=service,
        environment=environment,
        answered_at=at,
        question="?",
        contexts=(),
        answer=answer,
    )


@dataclass
class Day:
    """A day of rows: few at night, many by day, with a truth that is another in every hour."""

    rows: int
    bad: Counter[int] = field(default_factory=Counter)
    all: Counter[int] = field(default_factory=Counter)

    def minutes(self, seed: int = 7) -> Iterator[list[RagTrace]]:
        chance, number = Random(seed), 0
        for minute in range(1440):
            hour, at = minute // 60, MIDNIGHT + minute * MINUTE
            swing = 1 - 0.6 * math.cos(2 * math.pi * minute / 1440)
            found = []
            for _ in range(round(self.rows / 1440 * swing * chance.uniform(0.7, 1.3))):
                number += 1
                bad = chance.random() < 0.1 + 0.2 * (hour % 3) / 2
                self.bad[hour] += bad
                self.all[hour] += 1
                assistant = QUIET if chance.random() < 0.03 else BUSY
                found.append(a_row(number, at=at, assistant=assistant, bad=bad))
            yield found


def hajek(events: Sequence[ScoreEvent]) -> tuple[float, float]:
    """Return the weighted share of bad answers, and its standard error (linearised)."""
    pairs = [(1 / e.sampling.probability, _bad(e.outcome)) for e in events]
    weight = sum(w for w, _ in pairs)
    rate = sum(w * bad for w, bad in pairs) / weight
    variance = sum(w * (w - 1) * (bad - rate) ** 2 for w, bad in pairs) / weight**2
    return rate, math.sqrt(variance)


def _bad(outcome: Outcome) -> bool:
    assert isinstance(outcome, Scored)
    return outcome.bad


async def a_day_with_a_tenth_of_what_it_would_cost() -> tuple[Worker, Day, float]:
    day = Day(40_000)
    rows = list(day.minutes())
    budget = 0.1 * 0.012 * sum(map(len, rows))
    worker = Worker(cost_per_day=budget)
    for minute in rows:
        await worker.minute(minute)
    await worker.half.settle(worker.now, everything=True)
    return worker, day, budget


async def test_a_day_costs_its_budget_and_every_hour_is_still_known() -> None:
    worker, day, budget = await a_day_with_a_tenth_of_what_it_would_cost()

    cost = sum(event.usage.cost_usd or 0.0 for event in worker.sink.scores)
    assert cost == pytest.approx(budget, rel=0.03)

    assert min(_probabilities(worker.sink.tallies)) > 0
    by_hour = defaultdict(list)
    for event in worker.sink.scores:
        by_hour[event.trace.answered_at.hour].append(event)
    for hour in range(24):
        rate, error = hajek(by_hour[hour])
        assert abs(rate - day.bad[hour] / day.all[hour]) <= 3 * error, hour

    strata = [stratum for tally in worker.sink.tallies for stratum in tally.strata.values()]
    seen, shed = sum(s.seen for s in strata), sum(s.shed for s in strata)
    sampled = sum(s.scorers["plain"].sampled for s in strata)
    assert seen == sum(day.all.values()) == shed + sampled  # with a probability of 1, nothing else
    assert sampled == len(worker.sink.scores)

    _every_event_has_the_probability_of_its_tally(worker.sink)
    quiet = [e for e in worker.sink.scores if e.assistant == QUIET]
    assert len(quiet) > 0.9 * sum(
        s.seen for t in worker.sink.tallies if t.assistant == QUIET for s in t.strata.values()
    )


def _probabilities(tallies: Sequence[Tally]) -> list[float]:
    return [s.scorers["plain"].probability for t in tallies for s in t.strata.values()]


def _every_event_has_the_probability_of_its_tally(sink: ListSink) -> None:
    blocks = {
        (tally.assistant, name, offset): stratum.scorers["plain"].probability
        for tally in sink.tallies
        for name, stratum in tally.strata.items()
        for offset in range(tally.source.from_, tally.source.to)
    }
    for event in sink.scores:
        place = (event.assistant, event.sampling.stratum, event.origin.offset)
        assert blocks[place] == event.sampling.probability


async def test_rows_are_shed_from_every_stratum_alike_and_a_lower_rate_draws_a_part_of_them() -> (
    None
):
    down = Stratum("qa", {"environment": frozenset({"qa"})}, 1.0)
    rows = [
        a_row(n, at=MIDNIGHT, assistant="shop/qa" if n % 10 == 0 else BUSY) for n in range(2000)
    ]
    free, bound = Worker(0.5, [down]), Worker(0.5, [down], calls_per_hour=1)

    for worker in (free, bound):
        await worker.minute(rows)
        await worker.half.settle(worker.now, everything=True)

    drawn = {event.event_id for event in free.sink.scores}
    assert {event.event_id for event in bound.sink.scores} < drawn
    lost = {
        name: stratum.shed for tally in bound.sink.tallies for name, stratum in tally.strata.items()
    }
    assert sum(lost.values()) == len(drawn) - len(bound.sink.scores)
    assert lost["qa"] == pytest.approx((1 - START) * 200, rel=0.1)


async def test_a_restart_begins_low_and_finds_its_probability_again() -> None:
    worker = Worker(cost_per_day=0.012 * 1440 * 50, now=MIDNIGHT + timedelta(hours=12))
    rows = (a_row(n, at=MIDNIGHT) for n in range(10**9))
    parts = []

    for _ in range(30):
        parts.append(worker.budget.factor)
        await worker.minute([next(rows) for _ in range(100)])

    assert parts[0] == START
    assert all(0.4 < part < 0.6 for part in parts[15:])


async def test_a_start_with_a_budget_is_no_reason_to_warn() -> None:
    worker = Worker(calls_per_hour=6000)

    with capture_logs() as said:
        for _ in range(3):
            await worker.minute([])

    assert [entry for entry in said if entry["log_level"] == "warning"] == []


async def test_a_person_hears_once_that_little_is_left() -> None:
    worker = Worker(calls_per_hour=60)
    rows = (a_row(n, at=MIDNIGHT) for n in range(10**9))

    with capture_logs() as said:
        for _ in range(59):
            await worker.minute([next(rows) for _ in range(50)])

    heard = Counter(entry["event"] for entry in said if entry["log_level"] == "warning")
    assert heard == {"probability_under_a_tenth": 1, "budget_nearly_used": 1}


async def test_a_backlog_lowers_the_probability_until_it_is_steady_and_raises_it_after() -> None:
    worker, capacity, waiting, number = Worker(), 40, 0, 0
    parts, unread = [], []

    for minute in range(240):
        waiting += 160 if minute < 120 else 32
        drawn_of = worker.budget.factor
        rows = min(waiting, round(capacity / drawn_of))
        waiting -= rows
        worker.unread = waiting
        at = MIDNIGHT + minute * MINUTE
        await worker.minute([a_row(number + n, at=at) for n in range(rows)])
        number += rows
        parts.append(worker.budget.factor)
        unread.append(waiting)

    assert parts[0] == 1
    assert 0.15 < min(parts[60:120]) <= max(parts[60:120]) < 0.3  # a quarter is what can be done
    assert max(unread) == max(unread[:30]) <= 6 * 160
    assert parts[-1] == 1
    assert unread[-1] == 0
