"""What an engineer asks at three in the morning: what is it, how sure, and what do I do? Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from schemas.alert import Alert, Mute
from schemas.score import Scored, ScoreEvent
from streams.console.evidence import ClaimView, claims_of
from streams.console.lines import Line
from streams.console.show import claim_account, event_account

LAST = "last-alert"
"""What stands for the alert that began last."""

_LINKS = {"runbook": "runbook_url", "dashboard": "dashboard_url"}
_TONES = {"firing": "bad", "nodata": "bad", "resolved": "good"}
_ALWAYS = frozenset({"alertname", "service_name", "environment", "metric", "severity"})


def alert_account(
    steps: Sequence[Alert],
    events: Mapping[str, Sequence[ScoreEvent]],
    *,
    mutes: Sequence[Mute] = (),
    options: str = "",
) -> Iterator[Line]:
    """Say what an alert saw and how sure it is, what moved, what to do, and which claims failed.

    `steps` are the messages of one episode in order; `events` the scores of its exemplars by
    trace id; `options` what a command needs to find the same topics.
    """
    first, last = steps[0], steps[-1]
    state = "resolved" if last.status == "resolved" else f"{last.status}, since {_minute(first)}"
    yield Line(f"{title(first)}: {state}", tone=_TONES[last.status])
    for step in steps:
        said = step.annotations.get("summary", step.rule)
        yield Line(f"{step.status} at {_minute(step)}: {said}", 1, _TONES[step.status])
    yield from figures_account(first)
    yield from changes(first)
    for name, annotation in _LINKS.items():
        if address := first.annotations.get(annotation):
            yield Line(f"{name}: {address}")
    yield from _muting(last, mutes, options)
    yield from worst_account(first, events)


def title(alert: Alert) -> str:
    """Return what an alert is and whom it concerns."""
    labels = alert.labels
    more = "".join(f", {k}={v}" for k, v in sorted(labels.items()) if k not in _ALWAYS)
    where = f"{labels.get('service_name')}/{labels.get('environment')}, {labels.get('metric')}"
    return f"{alert.rule} ({alert.severity}), {where}{more}"


def _minute(step: Alert) -> str:
    return f"{step.evaluated_at:%Y-%m-%d %H:%M} UTC"


def changes(alert: Alert) -> Iterator[Line]:
    """Say who judged, what changed, and which segment moved the rate."""
    if judge := alert.scorer:
        series = alert.annotations.get("series", "")
        named = " ".join(filter(None, (judge.get("judge"), judge.get("judge_model"))))
        yield Line(f"judged by {named}, series {series}" if series else f"judged by {named}")
    if told := alert.annotations.get("description"):
        yield Line(f"what changed: {told}")
    for name, value in alert.change_hints.items():
        yield Line(f"what moved: {name} = {value}", tone="bad")


def _muting(alert: Alert, mutes: Sequence[Mute], options: str) -> Iterator[Line]:
    """Say who muted it and until when, and how to mute it while it stands."""
    for mute in mutes:
        if mute.covers(alert, at=mute.at):
            yield Line(f"muted by {mute.by} until {mute.until:%Y-%m-%d %H:%M} UTC")
    if alert.status != "resolved":
        yield Line(f"mute it: streamgauge mute {alert.alert_id} --for 2h{options}")


def worst_account(alert: Alert, events: Mapping[str, Sequence[ScoreEvent]]) -> Iterator[Line]:
    """Say of each of the worst answers which claims the alert's scorer found wanting, and why."""
    for exemplar in alert.exemplars:
        link = f": {exemplar.link}" if exemplar.link else ""
        yield Line(f"trace {exemplar.trace_id} ({exemplar.label}){link}")
        for event in of_its_scorer(alert, events.get(exemplar.trace_id, ())):
            for line in _failures(event):
                yield Line(line.text, line.depth + 1, line.tone)


def failed(event: ScoreEvent) -> list[ClaimView]:
    """Return the claims that a scorer found wanting."""
    if not isinstance(event.outcome, Scored):
        return []
    return [claim for claim in claims_of(event.outcome.breakdown) if claim.good is False]


def of_its_scorer(alert: Alert, events: Sequence[ScoreEvent]) -> list[ScoreEvent]:
    """Return what the scorer that an alert speaks of said."""
    return [event for event in events if event.scorer.name == alert.labels.get("metric")]


def _failures(event: ScoreEvent) -> Iterator[Line]:
    """Say which claims failed in an answer; all that was found where none did."""
    lines = event_account(event)
    yield next(lines)
    claims = failed(event)
    if not claims:
        yield from lines
    for claim in claims:
        yield from claim_account(claim)
    if claims and isinstance(event.outcome, Scored) and event.outcome.reason:
        reason = event.outcome.reason
        if all(reason != claim.reason for claim in claims):
            yield Line(f"reason: {reason}", depth=1)


def figures_account(alert: Alert) -> Iterator[Line]:
    """Say what a rule looked at, in figures."""
    value = alert.value
    if "cause" in alert.labels:
        yield Line(f"cause: {alert.labels['cause']}", depth=1)
    if value.rate is not None:
        interval = f"{value.lower or 0:.1%} to {value.upper or 0:.1%}"
        against = "" if value.threshold is None else f", threshold {value.threshold:.0%}"
        word = value.called or "rate"
        yield Line(f"{word} {value.rate:.1%} ({interval}){against}, n={value.n}", depth=1)
    if value.corrected is not None:
        interval = f"{value.corrected_lower or 0:.1%} to {value.corrected_upper or 0:.1%}"
        yield Line(f"corrected for the judge's errors {value.corrected:.1%} ({interval})", depth=1)
    if value.coverage is not None:
        yield Line(f"coverage {value.coverage:.0%}", depth=1)
    span = f"{alert.window.start:%H:%M} to {alert.window.end:%H:%M}"
    yield Line(f"window {span} UTC, {alert.window.length_s // 60} min", depth=1)


def find_alert(alerts: Iterable[Alert], name: str) -> list[Alert]:
    """Return the steps of one episode: whose id begins with `name`, the latest where several do.

    `last-alert` is the one that began last.
    """
    steps = list(alerts)
    if name != LAST:
        steps = [a for a in steps if name in (a.alert_id[: len(name)], a.dedup_key[: len(name)])]
    if not steps:
        return []
    latest = max(steps, key=lambda alert: alert.starts_at)
    return [alert for alert in steps if alert.alert_id == latest.alert_id]
