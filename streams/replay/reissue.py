"""A verdict that was bought before, as it is published again under a run. Pure."""

from collections.abc import Callable
from datetime import datetime

from schemas.score import SamplingRef, Scored, ScoreEvent, Usage
from schemas.wire import from_milliseconds, in_milliseconds
from streams.scoring.events import Sampled
from streams.trace_context import carried

NOTHING = Usage(cost_usd=0.0)
"""What it costs to publish a verdict again."""


def reissued(  # noqa: PLR0913 - what was said, and what the run says beside it
    event: ScoreEvent,
    row: Sampled,
    *,
    run: str,
    sampling: SamplingRef,
    bad: Callable[[Scored], bool],
    at: datetime,
) -> ScoreEvent:
    """Return the stored event as this run's verdict on `row`, which has the same event id.

    Judge, series and outcome stay, and nothing was paid. Whose the row is, when it was answered,
    where it lies and how it was drawn are this row's: one that was written twice need not agree
    with itself. `bad` is the scorer's: what passes may have been set anew since.
    """
    record, trace = row.record, row.trace
    outcome = event.outcome
    if isinstance(outcome, Scored):
        outcome = outcome.model_copy(update={"bad": bad(outcome)})
    whose = {
        "service": trace.service,
        "environment": trace.environment,
        "answered_at": trace.answered_at,
    }
    place = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": from_milliseconds(record.timestamp),
    }
    return event.model_copy(
        update={
            "trace": event.trace.model_copy(update=whose),
            "outcome": outcome,
            "sampling": sampling,
            "usage": NOTHING,
            "mode": "replay",
            "run": run,
            "reused": True,
            "scored_at": in_milliseconds(at),
            "traceparent": carried(record.headers),
            "origin": event.origin.model_copy(update=place),
        }
    )
