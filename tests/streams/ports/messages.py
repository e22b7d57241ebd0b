"""What a sink is given to write."""

from schemas.mark import Mark, PartitionProgress
from schemas.score import (
    JudgeRef,
    NotScorable,
    Origin,
    SamplingRef,
    ScoreEvent,
    ScorerRef,
    TraceRef,
)
from schemas.tally import Block, Tally
from schemas.wire import from_milliseconds
from tests.fakes import NOON
from tests.streams.ports.log import AT, TOPICS


def a_score(
    *, partition: int = 0, offset: int = 0, event_id: str = "e", service: str = "shop"
) -> ScoreEvent:
    return ScoreEvent(
        event_id=event_id,
        trace=TraceRef(trace_id="t", service=service, environment="production", answered_at=NOON),
        scorer=ScorerRef(name="faithfulness", version="1"),
        judge=JudgeRef(name="rules", version="1"),
        config_hash="c",
        series="c",
        outcome=NotScorable(reason="undecided"),
        sampling=SamplingRef(probability=0.5, stratum="base", by="body"),
        scored_at=NOON,
        origin=Origin(
            topic=TOPICS.traces, partition=partition, offset=offset, timestamp=from_milliseconds(AT)
        ),
    )


def a_tally(*, to: int = 1, service: str = "shop") -> Tally:
    source = Block(topic=TOPICS.traces, partition=0, from_=0, to=to, epoch=1)
    return Tally(source=source, assistant=f"{service}/production", minute=NOON, at=NOON)


def a_mark() -> Mark:
    return Mark(
        worker="w", at=NOON, of=1, partitions={0: PartitionProgress(next=1, end=1, epoch=1)}
    )
