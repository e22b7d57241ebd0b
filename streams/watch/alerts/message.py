"""From an alarm that changed to the message that says so."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, NamedTuple

from schemas.alert import Alert, AlertValue, AlertWindow, Exemplar
from schemas.identity import alert_id, dedup_key
from schemas.wire import from_milliseconds, rfc3339
from streams.watch.alerts.alarm import Alarm, Patience, Signal, Status
from streams.watch.rules.kinds import (
    BlindRule,
    Cause,
    Rule,
    ThresholdRule,
    TrafficRule,
    bounds,
)
from streams.watch.windows import WindowView

UNCALIBRATED = "rules"
"""The judge whose verdicts are called flags until people's labels say what they are worth."""


class Subject(NamedTuple):
    """What an alarm watches. The scorer is empty for traffic, the cause for all but blindness."""

    rule: str
    assistant: str
    scorer: str = ""
    cause: Cause | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a rule says of one subject at the end of a window, and how patient it is.

    `series` is empty where a rule does not care which one it is.
    """

    subject: Subject
    signal: Signal
    view: WindowView
    patience: Patience
    series: str = ""


def reach(rule: Rule) -> timedelta:
    """Return how far back a rule looks."""
    return rule.silent_for if isinstance(rule, TrafficRule) else rule.window


def compose(
    rule: Rule, reading: Reading, alarm: Alarm, status: Status, hints: Mapping[str, str]
) -> Alert:
    """Return the message that an alarm has just become `status`, at the end of a window."""
    subject, view = reading.subject, reading.view
    labels = labels_of(rule, subject)
    key = dedup_key(rule.name, labels)
    starts_at = from_milliseconds(view.end if alarm.starts_at is None else alarm.starts_at)
    at = from_milliseconds(view.end)
    annotations = {"summary": summary(rule, subject, status, view)}
    if reading.series:
        annotations["series"] = reading.series
    if status == "resolved" and alarm.resolved_at is None:
        annotations["description"] = "A new series began and is watched afresh."
    return Alert(
        alert_id=alert_id(key, rfc3339(starts_at)),
        dedup_key=key,
        status=status,
        rule=rule.name,
        severity=rule.severity,
        starts_at=starts_at,
        ends_at=at if status == "resolved" else None,
        evaluated_at=at,
        window=AlertWindow(
            start=from_milliseconds(view.start), end=at, length_s=int(reach(rule).total_seconds())
        ),
        labels=labels,
        annotations=annotations,
        value=figures(rule, subject, view),
        exemplars=_exemplars(rule, view),
        scorer=_scorer(subject, view),
        change_hints=dict(hints),
    )


def _exemplars(rule: Rule, view: WindowView) -> tuple[Exemplar, ...]:
    """Return the worst answers, where it is answers that the rule speaks of."""
    if not isinstance(rule, ThresholdRule):
        return ()
    return tuple(worst.exemplar() for worst in view.worst if not worst.fine)


def labels_of(rule: Rule, subject: Subject) -> dict[str, str]:
    """Return the labels that make an alert this alert, in names that Alertmanager accepts."""
    service, _, environment = subject.assistant.rpartition("/")
    labels = {
        "alertname": rule.name,
        "service_name": service,
        "environment": environment,
        "metric": subject.scorer or rule.kind,
        "severity": rule.severity,
    }
    return labels | ({"cause": subject.cause} if subject.cause else {})


def figures(rule: Rule, subject: Subject, view: WindowView) -> AlertValue:
    """Return what the rule looked at. Its limits are the one-sided ones that it decided by."""
    if isinstance(rule, TrafficRule):
        return AlertValue(n=0)
    if isinstance(rule, BlindRule):
        judged = subject.cause == "judge"
        return AlertValue(
            threshold=rule.judged_below if judged else rule.seen_below,
            n=sum(view.events.values()) if judged else view.sampled,
            coverage=view.judged if judged else view.seen,
        )
    rate = bounds(view)
    rows = sum(view.rows.values())
    return AlertValue(
        rate=rate.value if rate else None,
        lower=rate.lower if rate else None,
        upper=rate.upper if rate else None,
        threshold=rule.above,
        n=view.n,
        n_eff=rate.n_eff if rate else None,
        coverage=view.coverage,
        sample_probability=min(1.0, view.sampled / rows) if rows else None,
    )


def summary(rule: Rule, subject: Subject, status: Status, view: WindowView) -> str:
    """Return one line for whoever is woken by it."""
    where = f"last {span(reach(rule))}, {subject.assistant}"
    if isinstance(rule, TrafficRule):
        said = "rows have come again" if status == "resolved" else "no rows"
        return f"{said}, {where}"
    if isinstance(rule, BlindRule):
        return f"{_sight(rule, subject, status, view)}, {where}"
    return f"{_quality(subject, status, view)}, n={view.n}, {where}"


def _quality(subject: Subject, status: Status, view: WindowView) -> str:
    rate = bounds(view)
    if rate is None or status == "nodata":
        return f"{subject.scorer}: too little to go by"
    word = "flagged" if view.speaker.judge == UNCALIBRATED else "failing"
    limits = f"{percent(rate.lower)}-{percent(rate.upper)} %"
    return f"{subject.scorer} {word} {percent(rate.value)} % ({limits})"


def _sight(rule: BlindRule, subject: Subject, status: Status, view: WindowView) -> str:
    share = view.judged if subject.cause == "judge" else view.seen
    limit = rule.judged_below if subject.cause == "judge" else rule.seen_below
    if status == "firing" and subject.cause == "score" and (share is None or share >= limit):
        since = f"{from_milliseconds(view.end):%H:%M} UTC"
        return f"{subject.scorer} is blind: the score half has not reported since {since}"
    word = "sees again" if status == "resolved" else "is blind"
    what = "judged" if subject.cause == "judge" else "of the sampled rows came back"
    known = "nothing" if share is None else f"{percent(share)} %"
    return f"{subject.scorer} {word}: {known} {what} (limit {percent(limit)} %)"


def _scorer(subject: Subject, view: WindowView) -> dict[str, str] | None:
    if not subject.scorer:
        return None
    version, judge, model = view.speaker
    return {"name": subject.scorer, "version": version, "judge": judge, "judge_model": model}


def percent(share: float) -> str:
    """Return a share in whole percents, without the sign."""
    return f"{100 * share:.0f}"


def span(length: timedelta) -> str:
    """Return a length of time as one says it: minutes below two hours, hours below two days."""
    if length < timedelta(hours=2):
        return f"{length / timedelta(minutes=1):.0f} min"
    if length < timedelta(days=2):
        return f"{length / timedelta(hours=1):.3g} h"
    return f"{length / timedelta(days=1):.3g} d"
