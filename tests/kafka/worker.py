"""A worker in a process of its own that can be killed: the score half, and a ledger of calls.

    python -m tests.kafka.worker PLAN    PLAN is a `Plan` as JSON

The ledger outlives the process, for each line is handed to the kernel before the next step.
"""

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal, NamedTuple

from schemas.score import ScoringError, Usage
from scorers.contract import A, Answer, JudgeIdentity, JudgeUnavailableError
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.concurrency import Concurrency
from scorers.judges.retrying import RetryingJudge
from scorers.questions import Question, VerifyClaims
from streams.address import Topics
from streams.intake.decode import Intake
from streams.kafka.connection import Connection, Worker
from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.live import run_until_stopped
from streams.pace import beats, now
from streams.pipeline import Scoring
from streams.ports import Sink, Source
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler
from streams.scoring.tallying import Tallying
from streams.subscription import Subscription
from tests.fakes import PlainScorer
from tests.kafka.waiting import eventually

SALT = "streamgauge"
INTAKE = Intake()


@dataclass(frozen=True)
class Plan:
    """What a worker does. `calls` in seconds: how long a judge's call takes, at least and at most.

    `hold` and `busy` are files: while `hold` is there, calls do not end; while `busy` is, they are
    refused for 2 s, and not paid.
    """

    servers: str
    topics: Mapping[str, str]
    ledger: str
    group: str = "workers"
    slot: str = "0"
    probability: float = 1.0
    in_flight: int = 16
    calls: tuple[float, float] = (0.02, 0.2)
    hold: str | None = None
    busy: str | None = None
    session_seconds: float = 10
    drain_seconds: float = 40

    def to_json(self) -> str:
        return json.dumps(asdict(self))


class Entry(NamedTuple):
    """A line of the ledger. `at` in milliseconds since 1970."""

    what: Literal["begin", "end", "busy"]
    claim: str
    pid: int
    at: int


@dataclass
class LedgerJudge:
    """Answers after a while, and writes down each call when it begins and when it ends."""

    plan: Plan
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("ledger", "1"))
    _file: int = field(init=False)

    def __post_init__(self) -> None:
        self._file = os.open(self.plan.ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def ask(self, question: Question[A]) -> Answer[A]:
        assert isinstance(question.about, VerifyClaims)
        [claim] = question.about.claims
        if self._busy():
            self._write("busy", claim)
            busy = ScoringError(kind="judge_failed", cause="http_503")
            raise JudgeUnavailableError(busy, retry_after_seconds=2)
        self._write("begin", claim)
        await asyncio.sleep(random.uniform(*self.plan.calls))
        if self.plan.hold is not None:
            hold = Path(self.plan.hold)
            await eventually(lambda: not hold.exists(), within=120)
        self._write("end", claim)
        return Answer(question.read(claim), Usage(calls=1, attempts=1))

    def _busy(self) -> bool:
        return self.plan.busy is not None and Path(self.plan.busy).exists()

    def _write(self, what: str, claim: str) -> None:
        line = f"{what}\t{claim}\t{os.getpid()}\t{time.time_ns() // 1_000_000}\n"
        os.write(self._file, line.encode())


def entries(ledger: Path) -> list[Entry]:
    """Return the ledger's lines; a torn last one is left out."""
    if not ledger.exists():
        return []
    lines = ledger.read_text().split("\n")[:-1]
    return [
        Entry(what, claim, int(pid), int(at))  # type: ignore[arg-type]
        for what, claim, pid, at in (line.split("\t") for line in lines)
    ]


def sampler_of(probability: float) -> BodySampler:
    return BodySampler(SALT, probability, [], {"plain": None}, INTAKE.heads)


def scoring_of(plan: Plan, source: Source, sink: Sink, run: str | None = None) -> Scoring:
    """Return the score half of a worker; `run` names a replay."""
    sampler = sampler_of(plan.probability)
    once = BoundedJudge(LedgerJudge(plan), Limits(Concurrency(plan.in_flight)))
    seat = Seat(PlainScorer(), RetryingJudge(once, 5), timedelta(seconds=60))
    return Scoring(
        sampler=sampler,
        decode=INTAKE.decode,
        panel={"plain": seat},
        scorecard=Scorecard("body", "claims", run),
        sink=sink,
        books=Books(Tallying(sampler.chances, now, run), source, sink, f"w{os.getpid()}", run),
        clock=now,
    )


async def work(plan: Plan) -> bool:
    """Run the score half until it is told to stop; say whether everything was finished."""
    connection = Connection(
        plan.servers,
        Worker("test", plan.slot, os.getpid()),
        session_timeout=timedelta(seconds=plan.session_seconds),
        metadata_max_age=timedelta(seconds=3),
    )
    topics = Topics(**plan.topics)
    subscription = Subscription(topic=topics.traces, group=plan.group, scores=topics.scores)
    async with KafkaSource(connection, subscription, now) as source:
        sink = KafkaSink(connection, topics, plan.group, "0", source.rejected, source.incidents)
        async with sink:
            return await run_until_stopped(
                source,
                scoring_of(plan, source, sink),
                beats=beats(timedelta(seconds=1)),
                clock=now,
                in_flight=plan.in_flight,
                drain=timedelta(seconds=plan.drain_seconds),
            )


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(work(Plan(**json.loads(sys.argv[1])))) else 1)
