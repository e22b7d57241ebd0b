"""Stand-ins for the edges and builders of messages: hand-written, and small enough to trust."""

import asyncio
from collections.abc import AsyncIterator, Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar, cast

from pydantic import JsonValue

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import Outcome, Scored, ScoreEvent, ScoringError, Usage
from schemas.tally import Tally
from schemas.trace import Passage, RagTrace
from schemas.wire import to_milliseconds
from scorers.contract import Answer, Judge, JudgeIdentity, JudgeUnavailableError
from scorers.questions import Question, VerifyClaims
from streams.ports import Message, Progress, Record

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
A = TypeVar("A")


def a_trace(
    answer: str | None = "Paris is the capital of France.",
    *,
    minute: int = 0,
    id: str = "0af7651916cd43dd8448eb211c80319c",
    contexts: Sequence[str] | None = ("Paris is the capital of France.",),
) -> RagTrace:
    """Return a trace of helpdesk/production, answered `minute` minutes after noon."""
    passages = [Passage(key=str(n), text=text) for n, text in enumerate(contexts or (), start=1)]
    return RagTrace(
        trace_id=id,
        service="helpdesk",
        answered_at=NOON + timedelta(minutes=minute),
        question="What is the capital of France?",
        contexts=None if contexts is None else tuple(passages),
        answer=answer,
    )


def a_record(
    trace: RagTrace | bytes, offset: int = 0, *, partition: int = 0, epoch: int = 0
) -> Record:
    """Return the record of a trace, stamped with the time of its answer."""
    value = trace if isinstance(trace, bytes) else trace.to_json()
    at = NOON if isinstance(trace, bytes) else trace.answered_at
    key = None if isinstance(trace, bytes) else trace.trace_id.encode()
    return Record("rag.traces", partition, offset, key, value, to_milliseconds(at), (), epoch=epoch)


@dataclass
class ListSink:
    """Keeps what is written, by kind."""

    scores: list[ScoreEvent] = field(default_factory=list)
    tallies: list[Tally] = field(default_factory=list)
    others: list[Message] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    rejected: list[tuple[Record, Rejection]] = field(default_factory=list)

    async def publish(self, messages: Sequence[Message]) -> None:
        for message in messages:
            if isinstance(message, ScoreEvent):
                self.scores.append(message)
            elif isinstance(message, Tally):
                self.tallies.append(message)
            else:
                self.others.append(message)
        await asyncio.sleep(0)

    async def mark(self, mark: Mark) -> None:
        self.marks.append(mark)

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        self.rejected.append((record, rejection))


@dataclass
class ListSource:
    """A topic of one partition in a list. What is done of it can be looked at."""

    records: Sequence[Record]
    batch: int = 64
    held: bool = True
    partitions: int = 1
    opened: set[int] = field(default_factory=set)
    finished: list[int] = field(default_factory=list)
    sealed: list[int] = field(default_factory=list)
    read: int = 0

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        start = 0
        while batch := self.records[start : start + self.batch]:
            yield batch
            start += self.batch

    def open(self, record: Record) -> None:
        self.opened.add(record.offset)
        self.read = record.offset + 1

    def passed(self, batch: Sequence[Record]) -> None:
        self.read = batch[-1].offset + 1

    def done(self, record: Record) -> None:
        self.opened.discard(record.offset)
        self.finished.append(record.offset)

    async def owns(self, record: Record) -> bool:
        return self.held

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        self.sealed.append(to)

    def progress(self) -> Mapping[int, Progress]:
        end = self.records[-1].offset + 1 if self.records else 0
        return {0: Progress(min(self.opened, default=self.read), end, 0)}

    def stop(self) -> None:
        self.records = ()


async def no_beats() -> AsyncIterator[datetime]:
    """Yield nothing: time stands still."""
    return
    yield


@dataclass(frozen=True, slots=True)
class PlainScorer:
    """Finds an answer bad that holds `lie`; asks its judge about the answer as one claim."""

    lie: str = "Lyon"
    name: str = "plain"
    version: str = "1"
    settings: Mapping[str, JsonValue] = field(default_factory=dict)

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        about = VerifyClaims((trace.answer or "",), ())
        await judge.ask(Question(about, lambda reply: reply, trace.trace_id))
        lied = self.lie in (trace.answer or "")
        return Scored(score=1 - lied, normalized=1 - lied, label="contradicted" if lied else "ok")

    def bad(self, verdict: Scored) -> bool:
        return verdict.normalized < 1


@dataclass
class CountingJudge:
    """Answers everything, and counts. Breaks on the claims in `breaks_on`; waits while `gate`."""

    breaks_on: Container[str] = ()
    gate: asyncio.Event | None = None
    asked: list[str] = field(default_factory=list)
    now: int = 0
    most: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("counting", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        assert isinstance(question.about, VerifyClaims)
        [claim] = question.about.claims
        self.asked.append(claim)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await (self.gate.wait() if self.gate else asyncio.sleep(0))
        finally:
            self.now -= 1
        if claim in self.breaks_on:
            error = ScoringError(kind="judge_failed", cause="timeout")
            raise JudgeUnavailableError(error, Usage(calls=1, attempts=3))
        return Answer(question.read(claim), Usage(calls=1, attempts=1, cost_usd=0.25))


@dataclass
class ScriptedJudge:
    """Gives its replies in order: objects are read as a text judge's, errors raised, the rest is.

    What it is asked beyond them is a bug of the test or of the code.
    """

    replies: list[object]
    asked: list[Question[object]] = field(default_factory=list)
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("scripted", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.asked.append(question)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        value = question.read(reply) if isinstance(reply, dict) else cast("A", reply)
        return Answer(value, Usage(calls=1, attempts=1), prompt="what was sent")


def unavailable(cause: str = "timeout") -> JudgeUnavailableError:
    """Return the error of a judge that could not be had."""
    return JudgeUnavailableError(ScoringError(kind="judge_failed", cause=cause))
