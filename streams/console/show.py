"""What is known of a trace: why it was sampled or not, and which claim failed. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.rejection import Rejection
from schemas.score import Failed, InvalidInput, NotScorable, Scored, ScoreEvent
from schemas.trace import RagTrace
from streams.console.evidence import ClaimView, claims_of
from streams.console.lines import Line
from streams.intake.decode import Intake
from streams.ports import Record
from streams.scoring.bounding import LEFT_OUT
from streams.scoring.drawing import drawing, share
from streams.scoring.draws import Draw
from streams.scoring.sampling import BASE, Sampler


@dataclass(frozen=True, slots=True)
class RedrawnRow:
    """A row of the traces topic, read again and drawn again."""

    record: Record
    trace: RagTrace | Rejection
    draw: Draw | Rejection
    chances: Mapping[str, float]
    u: float


def find_again(record: Record, intake: Intake, sampler: Sampler) -> RedrawnRow:
    """Read and draw a row as the score half does. `u` in [0, 1) is where its draw fell."""
    trace, draw = intake.decode(record), sampler.draw(record)
    stratum = draw.stratum if isinstance(draw, Draw) else BASE
    name = trace.trace_id if isinstance(trace, RagTrace) else record.row_id
    by = name.encode() if sampler.by == "body" else record.key or record.row_id.encode()
    u = share(drawing(sampler.salt)(by))
    return RedrawnRow(record, trace, draw, sampler.chances(stratum), u)


def trace_account(found: RedrawnRow | None, events: Sequence[ScoreEvent]) -> Iterator[Line]:
    """Say whether and why a trace was sampled, and what was found, claim by claim."""
    if found is not None:
        yield from _row_account(found)
    for event in events:
        yield from event_account(event)
    if not events and (found is None or _drawn(found)):
        yield Line("no score of it yet: has `streamgauge score` read so far?")
        yield Line("or a budget or a backlog lowered its probability (docs/budgets.md)", depth=1)


def _drawn(found: RedrawnRow) -> bool:
    return isinstance(found.draw, Draw) and bool(found.draw.drawn)


def _row_account(found: RedrawnRow) -> Iterator[Line]:
    trace, draw, place = found.trace, found.draw, found.record
    yield Line(f"row {place.topic}/{place.partition}/{place.offset}")
    if isinstance(trace, Rejection):
        yield Line(f"rejected: {trace.reason}: {trace.detail}", tone="bad")
        return
    yield Line(f"{trace.assistant}, answered {trace.answered_at:%Y-%m-%d %H:%M:%S} UTC")
    for name, value in sorted(trace.attributes.items()):
        yield Line(f"{name} = {value}", depth=1)
    yield Line(f"question: {trace.question}")
    yield Line(f"answer: {trace.answer}")
    if isinstance(draw, Draw):
        yield Line(f"drawn at {found.u:.5f} in the stratum {draw.stratum}; by these settings:")
        kept = {chance.scorer for chance in draw.drawn}
        for scorer, probability in found.chances.items():
            fate = "<" if scorer in kept else "not <"
            word = "sampled" if scorer in kept else "not sampled"
            yield Line(f"{scorer}: {word}, {found.u:.5f} is {fate} {probability:g}", depth=1)


def event_account(event: ScoreEvent) -> Iterator[Line]:
    """Say what one scorer found, with every claim, its verdict and its evidence."""
    outcome = event.outcome
    run = "" if event.run is None else f" in run {event.run}"
    head = f"{event.scorer.name} by {event.judge.name}{run}"
    chance = f"stratum {event.sampling.stratum}, probability {event.sampling.probability:g}"
    match outcome:
        case Scored():
            word = "BAD" if outcome.bad else "ok"
            tone = "bad" if outcome.bad else "good"
            score = f"score {outcome.score:.2f}, {outcome.label}"
            yield Line(f"{head}: {word}, {score} ({chance})", tone=tone)
            if outcome.flags:
                yield Line("flags: " + ", ".join(outcome.flags), depth=1)
        case NotScorable():
            yield Line(f"{head}: not scorable, {outcome.reason} ({chance})")
        case InvalidInput():
            yield Line(f"{head}: invalid input, {outcome.reason} ({chance})", tone="bad")
        case Failed():
            cause = f", {outcome.error.cause}" if outcome.error.cause else ""
            yield Line(f"{head}: no verdict, {outcome.error.kind}{cause} ({chance})", tone="bad")
    if isinstance(outcome, Scored | NotScorable):
        yield from _findings(outcome)


def _findings(outcome: Scored | NotScorable) -> Iterator[Line]:
    claims = claims_of(outcome.breakdown or {})
    reason = outcome.reason if isinstance(outcome, Scored) else None
    if reason and all(reason != claim.reason for claim in claims):
        yield Line(f"reason: {reason}", depth=1)
    for claim in claims:
        yield from claim_account(claim)
    left_out = (outcome.breakdown or {}).get(LEFT_OUT)
    for name, count in left_out.items() if isinstance(left_out, dict) else ():
        yield Line(f"{name}: {count:,} more are counted and not shown, to keep the event small", 1)


def claim_account(claim: ClaimView) -> Iterator[Line]:
    """Say what a claim is worth, with its evidence."""
    tone = {True: "good", False: "bad", None: ""}[claim.good]
    support = "" if claim.support is None else f", support {claim.support:.2f}"
    flags = f" ({', '.join(claim.flags)})" if claim.flags else ""
    yield Line(f"{claim.verdict}{support}{flags}: {claim.text}", depth=1, tone=tone)
    if claim.evidence:
        yield Line(f"evidence {claim.evidence}", depth=2)
    if claim.reason and claim.good is not True:
        yield Line(claim.reason, depth=2)
