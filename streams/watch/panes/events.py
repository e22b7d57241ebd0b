"""From one scored event to a pane of one."""

from dataclasses import replace

from schemas.pane import BINS, Cell
from schemas.score import Failed, Scored, ScoreEvent
from schemas.wire import to_milliseconds
from streams.watch.panes.pane import MINUTE, ScorePane, Speaker, Worst

MILLION = 1_000_000
_NEVER_RATED = frozenset({"no_claims", "empty_answer", "abstained"})


def minute_of(at: int) -> int:
    """Return the start of the minute that an instant lies in."""
    return at - at % MINUTE


def origin_of(event: ScoreEvent) -> str:
    """Return the row that an event came from, as one word."""
    return f"{event.origin.topic}/{event.origin.partition}/{event.origin.offset}"


def pane_of(event: ScoreEvent, *, offset: int) -> ScorePane:
    """Return what one event adds to a pane. `offset` is its own on the scores topic."""
    at = to_milliseconds(event.trace.answered_at)
    judge = event.judge
    outcome = event.outcome
    pane = ScorePane(
        last=offset,
        speaker=Speaker(event.scorer.version, judge.name, judge.resolved or judge.model or ""),
        outcomes={outcome.status: 1},
        first_at=at,
        last_at=at,
        ids={event.event_id: (origin_of(event),)},
    )
    if isinstance(outcome, Scored):
        return _scored(pane, event, outcome, at)
    reason = outcome.error.kind if isinstance(outcome, Failed) else outcome.reason
    return replace(pane, reasons={f"{outcome.status}/{reason}": 1})


def repeat_of(event: ScoreEvent, *, offset: int, known: bool) -> ScorePane:
    """Return what an event adds whose id was counted before: a duplicate, if its row is new.

    `known`: the same row brought the same verdict before, so that nothing is added but the offset.
    """
    if known:
        return ScorePane(last=offset)
    return ScorePane(
        last=offset, outcomes={"duplicate": 1}, ids={event.event_id: (origin_of(event),)}
    )


def _scored(pane: ScorePane, event: ScoreEvent, outcome: Scored, at: int) -> ScorePane:
    rated = enters_rate(outcome)
    bad = rated and outcome.bad
    millionths = round(outcome.normalized * MILLION)
    cell = Cell(1, int(rated), int(bad), millionths, millionths * millionths)
    trace = event.trace
    worst = Worst(
        not bad,
        millionths,
        -at,
        trace.trace_id,
        trace.span_id or "",
        outcome.score,
        outcome.label,
    )
    return replace(
        pane,
        strata={event.sampling.stratum: {event.sampling.probability: cell}},
        counts=outcome.counts,
        flags=dict.fromkeys(outcome.flags, 1),
        histogram={min(millionths * BINS // MILLION, BINS - 1): 1},
        worst=(worst,) if rated else (),
    )


def enters_rate(outcome: Scored) -> bool:
    """Say whether an answer can be bad at all: a refusal or an answer without claims cannot."""
    if not _NEVER_RATED.isdisjoint(outcome.flags):
        return False
    return outcome.bad or "uncited" not in outcome.flags
