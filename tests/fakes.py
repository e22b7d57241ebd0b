"""Stand-ins for the edges and builders of messages: hand-written, and small enough to trust."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.trace import Passage, RagTrace
from schemas.wire import to_milliseconds
from streams.ports import Message, Record

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


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
