"""What an engineer asks at three in the morning: why this alert, and which claim failed. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.alert import Alert
from schemas.rejection import Rejection
from schemas.score import Failed, InvalidInput, NotScorable, Scored, ScoreEvent
from schemas.trace import RagTrace
from streams.ports import Record
from streams.sampling import Draw, Sampler, drawing


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an account: how deep it stands, what it says, and how loudly."""

    text: str
    depth: int = 0
    tone: str = ""


def trace_account(
    record: Record | None,
    trace: RagTrace | Rejection | None,
    *,
    draw: Draw | Rejection | None,
    sampler: Sampler,
    salt: str,
    events: Sequence[ScoreEvent],
) -> Iterator[Line]:
    """Say whether and why a trace was sampled, and what was found, claim by claim."""
    if record is None and not events:
        yield Line("No such trace on the traces topic, and no score of it.", tone="bad")
        return
    if record is not None:
        yield Line(f"found at {record.topic}/{record.partition}/{record.offset}")
    if isinstance(trace, Rejection):
        yield Line(f"rejected: {trace.reason} ({trace.detail})", tone="bad")
        return
    if isinstance(trace, RagTrace) and isinstance(draw, Draw):
        yield from _draw_account(trace, draw, sampler, salt)
    if not events:
        yield Line("no score yet")
    for event in events:
        yield from event_account(event)


def _draw_account(trace: RagTrace, draw: Draw, sampler: Sampler, salt: str) -> Iterator[Line]:
    u = drawing(salt)(trace.trace_id.encode()) / 2**64
    yield Line(f"{trace.assistant}, answered {trace.answered_at:%Y-%m-%d %H:%M:%S} UTC")
    yield Line(f"draw {u:.5f} in stratum {draw.stratum}")
    drawn = {chance.scorer for chance in draw.drawn}
    for scorer, probability in sampler.chances(draw.stratum).items():
        sign, fate = ("<", "sampled") if scorer in drawn else (">=", "not sampled")
        yield Line(f"{scorer}: {u:.5f} {sign} {probability:g}, {fate}", depth=1)


def event_account(event: ScoreEvent) -> Iterator[Line]:
    """Say what one scorer found, with every claim, its verdict and its evidence."""
    outcome = event.outcome
    head = f"{event.scorer.name} by {event.judge.name}"
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
    if isinstance(outcome, Scored | NotScorable) and outcome.breakdown:
        for claim in claims_of(outcome.breakdown):
            yield from _claim_account(claim)


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim or cited sentence as a person reads it."""

    text: str
    verdict: str
    good: bool | None
    support: float | None
    decided_by: str
    evidence: str
    flags: tuple[str, ...]
    reason: str


def claims_of(breakdown: Mapping[str, JsonValue]) -> list[ClaimView]:
    """Return the claims (or cited sentences) of any scorer's breakdown, in their order."""
    rows = breakdown.get("claims") or breakdown.get("sentence_rows") or []
    return [_view(row) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


_WORDS: Mapping[str, tuple[str, bool | None]] = {
    "yes": ("supported", True),
    "no": ("contradicted", False),
    "unsure": ("not in the evidence", False),
    "undecided": ("undecided", None),
}


def _view(row: Mapping[str, JsonValue]) -> ClaimView:
    if row.get("fabricated"):
        word, good = f"cites {_keys(row)}, which does not exist", False
    elif "verdict" in row:
        word, good = _WORDS.get(str(row["verdict"]), (str(row["verdict"]), None))
    else:
        supported = row.get("supported") is True
        word, good = ("supported" if supported else f"not supported by {_keys(row)}"), supported
    support = row.get("support")
    flags = row.get("flags")
    return ClaimView(
        text=str(row.get("text") or row.get("claim") or ""),
        verdict=word,
        good=good,
        support=support if isinstance(support, float | int) else None,
        decided_by=str(row.get("decided_by") or ""),
        evidence=_evidence(row.get("evidence")),
        flags=tuple(map(str, flags)) if isinstance(flags, list) else (),
        reason=str(row.get("reason") or ""),
    )


def _keys(row: Mapping[str, JsonValue]) -> str:
    keys = row.get("keys")
    return ", ".join(f"[{key}]" for key in keys) if isinstance(keys, list) else "its source"


def _evidence(evidence: JsonValue) -> str:
    if not isinstance(evidence, dict) or not evidence.get("quote"):
        return ""
    return f"[{evidence.get('key')}] {evidence['quote']}"


def _claim_account(claim: ClaimView) -> Iterator[Line]:
    tone = {True: "good", False: "bad", None: ""}[claim.good]
    support = "" if claim.support is None else f", support {claim.support:.2f}"
    flags = f" ({', '.join(claim.flags)})" if claim.flags else ""
    yield Line(f"{claim.verdict}{support}{flags}: {claim.text}", depth=1, tone=tone)
    if claim.evidence:
        yield Line(f"evidence {claim.evidence}", depth=2)
    if claim.reason and claim.good is not True:
        yield Line(claim.reason, depth=2)


def alert_account(
    steps: Sequence[Alert], events: Mapping[str, Sequence[ScoreEvent]]
) -> Iterator[Line]:
    """Say what an alert saw, which segment moved, and the worst answers with what failed.

    `steps` are the messages of one episode in order; `events` the scores of its exemplars by
    trace id.
    """
    last, first = steps[-1], steps[0]
    yield Line(first.annotations.get("summary", first.rule), tone="bad")
    for step in steps:
        yield Line(f"{step.status} at {step.evaluated_at:%Y-%m-%d %H:%M} UTC", depth=1)
    yield from _figures(first)
    for name, value in last.change_hints.items():
        yield Line(f"what moved: {name} = {value}", tone="bad")
    for name in ("runbook_url", "dashboard_url"):
        if first.annotations.get(name):
            yield Line(f"{name}: {first.annotations[name]}")
    for exemplar in first.exemplars:
        yield Line(f"trace {exemplar.trace_id} ({exemplar.label})")
        for event in events.get(exemplar.trace_id, ()):
            for line in event_account(event):
                yield Line(line.text, line.depth + 1, line.tone)


def _figures(alert: Alert) -> Iterator[Line]:
    value = alert.value
    if value.rate is not None:
        interval = f"{value.lower or 0:.1%} to {value.upper or 0:.1%}"
        against = "" if value.threshold is None else f", threshold {value.threshold:.0%}"
        yield Line(f"rate {value.rate:.1%} ({interval}){against}, n={value.n}", depth=1)
    if value.coverage is not None:
        yield Line(f"coverage {value.coverage:.0%}", depth=1)
    span = f"{alert.window.start:%H:%M} to {alert.window.end:%H:%M}"
    yield Line(f"window {span} UTC, {alert.window.length_s // 60} min", depth=1)


def find_alert(alerts: Iterable[Alert], name: str) -> list[Alert]:
    """Return the steps of the episode whose id begins with `name`: of the latest, where several."""
    found = [a for a in alerts if a.alert_id.startswith(name) or a.dedup_key.startswith(name)]
    return [a for a in found if a.alert_id == found[-1].alert_id] if found else []
