"""Builders of what the watch half reads. Time is seconds after a fixed midnight."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from schemas.mark import Mark, PartitionProgress, Tick
from schemas.score import (
    Failed,
    JudgeRef,
    NotScorable,
    Origin,
    Outcome,
    SamplingRef,
    Scored,
    ScoreEvent,
    ScorerRef,
    ScoringError,
    TraceRef,
)
from schemas.tally import Block, ScorerTally, StratumTally, Tally

MIDNIGHT = datetime(2026, 3, 1, tzinfo=UTC)
SHOP = "shop/production"
SCORER = "faithfulness"


def at(seconds: float) -> datetime:
    """Return an instant of the day."""
    return MIDNIGHT + timedelta(seconds=seconds)


def good() -> Scored:
    """Return a verdict without fault."""
    return Scored(score=1.0, normalized=1.0, label="supported")


def bad(normalized: float = 0.25) -> Scored:
    """Return a verdict that counts against the assistant."""
    return Scored(score=normalized, normalized=normalized, bad=True, label="contradicted")


def failed() -> Failed:
    """Return a verdict that could not be had."""
    return Failed(error=ScoringError(kind="judge_unavailable"))


def undecided() -> NotScorable:
    """Return a verdict of a judge that could decide nothing."""
    return NotScorable(reason="undecided")


def a_score(
    row: int,
    second: float,
    outcome: Outcome | None = None,
    *,
    event_id: str | None = None,
    assistant: str = SHOP,
    scorer: str = SCORER,
    series: str = "s1",
    stratum: str = "base",
    probability: float = 1.0,
    attributes: Mapping[str, str] | None = None,
    run: str | None = None,
    partition: int = 0,
) -> ScoreEvent:
    """Return the event of a row: `row` is its offset on the traces topic and names its trace."""
    service, _, environment = assistant.partition("/")
    trace = f"trace-{partition}-{row}"
    return ScoreEvent(
        event_id=event_id or f"{trace}/{scorer}",
        trace=TraceRef(
            trace_id=trace, service=service, environment=environment, answered_at=at(second)
        ),
        scorer=ScorerRef(name=scorer, version="1"),
        judge=JudgeRef(name="rules", version="1"),
        config_hash="c1",
        series=series,
        outcome=outcome or good(),
        sampling=SamplingRef(probability=probability, stratum=stratum, by="body"),
        mode="replay" if run else "live",
        run=run,
        scored_at=at(second + 1),
        attributes=dict(attributes or {}),
        origin=Origin(topic="rag.traces", partition=partition, offset=row, timestamp=at(second)),
    )


def a_tally(
    second: float,
    *,
    rows: tuple[int, int],
    seen: int | None = None,
    sampled: int | None = None,
    epoch: int = 1,
    partition: int = 0,
    stratum: str = "base",
    assistant: str = SHOP,
    scorers: Sequence[str] = (SCORER,),
    shed: int = 0,
    rejected: int = 0,
    run: str | None = None,
) -> Tally:
    """Return the tally of a block of offsets; all its rows are seen and sampled unless told."""
    start, end = rows
    number = end - start if seen is None else seen
    drawn = ScorerTally(probability=1.0, sampled=number if sampled is None else sampled)
    return Tally(
        source=Block(topic="rag.traces", partition=partition, from_=start, to=end, epoch=epoch),
        assistant=assistant,
        minute=at(second),
        run=run,
        strata={
            stratum: StratumTally(seen=number, shed=shed, scorers=dict.fromkeys(scorers, drawn))
        },
        rejected=rejected,
        at=at(second),
    )


def a_mark(
    second: float,
    partitions: Mapping[int, PartitionProgress] | None = None,
    *,
    of: int = 1,
    scores: int = 0,
    worker: str = "w1",
    run: str | None = None,
    done: bool = False,
) -> Mark:
    """Return a mark; unless told, its one partition is worked off to the end."""
    return Mark(
        worker=worker,
        at=at(second),
        run=run,
        done=done,
        of=of,
        scores=scores,
        partitions={0: worked_off()} if partitions is None else dict(partitions),
    )


def worked_off(end: int = 1, *, epoch: int = 1) -> PartitionProgress:
    """Return the standing of a partition without open rows."""
    return PartitionProgress(next=end, end=end, epoch=epoch)


def busy(second: float | None, *, epoch: int = 1) -> PartitionProgress:
    """Return the standing of a partition with open rows, done up to an event time."""
    reached = None if second is None else at(second)
    return PartitionProgress(next=1, end=2, event_time=reached, epoch=epoch)


def done_with(second: float | None) -> PartitionProgress:
    """Return the standing of a run's partition that is worked off, by its latest event time."""
    return busy(second).model_copy(update={"next": 2})


def a_tick(second: float) -> Tick:
    """Return a tick."""
    return Tick(at=at(second))
