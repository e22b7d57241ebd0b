"""A score half with a budget, under a clock that is set, for rows that are handed to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from schemas.score import Usage
from schemas.trace import RagTrace
from schemas.wire import to_milliseconds
from scorers.contract import Answer, JudgeIdentity
from scorers.questions import Question, VerifyClaims
from streams.intake.decode import Intake
from streams.pipeline import Scoring
from streams.ports import Progress, Record
from streams.scoring.allowance import allowances
from streams.scoring.books import Books
from streams.scoring.budget import Budget
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler, Stratum
from streams.scoring.tallying import Tallying
from streams.scoring.throttle import Throttled
from tests.fakes import A, ListSink, ListSource, PlainScorer

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
INTAKE = Intake()
BUSY = "shop/production"


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
            "streamgauge", self.probability, self.strata, {"plain": None}, INTAKE.heads
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
