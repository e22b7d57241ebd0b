"""From an alarm that changed to the message that says so."""

from schemas.alert import Alert, AlertWindow, Exemplar
from schemas.identity import alert_id, dedup_key
from schemas.wire import from_milliseconds, rfc3339
from streams.watch.alerts.alarm import Alarm, Status
from streams.watch.alerts.assessments import Assessment
from streams.watch.alerts.hints import Hints, described
from streams.watch.alerts.subject import Subject, labels_of
from streams.watch.alerts.words import figures, summary
from streams.watch.panes.pane import SECOND
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.kinds import Rule
from streams.watch.rules.traffic import TrafficRule
from streams.watch.windows import WindowView

NEW_SERIES = "A new series began and is watched afresh."


def compose(
    rule: Rule, assessment: Assessment, alarm: Alarm, status: Status, found: Hints
) -> Alert:
    """Return the message that an alarm has just become `status`, at the end of a window."""
    subject, result = assessment.subject, assessment.result
    view = result.view
    labels = labels_of(rule, subject)
    key = dedup_key(rule.name, labels)
    starts_at = from_milliseconds(view.end if alarm.starts_at is None else alarm.starts_at)
    at = from_milliseconds(view.end)
    length = (view.end - view.start) // SECOND
    return Alert(
        alert_id=alert_id(key, rfc3339(starts_at)),
        dedup_key=key,
        status=status,
        rule=rule.name,
        severity=rule.severity,
        starts_at=starts_at,
        ends_at=at if status == "resolved" else None,
        evaluated_at=at,
        window=AlertWindow(start=from_milliseconds(view.start), end=at, length_s=length),
        labels=labels,
        annotations=_annotations(rule, assessment, alarm, status, found),
        value=figures(rule, subject, result),
        exemplars=_exemplars(rule, view),
        scorer=_scorer(subject, view),
        change_hints=dict(found.segments),
    )


def _annotations(
    rule: Rule, assessment: Assessment, alarm: Alarm, status: Status, found: Hints
) -> dict[str, str]:
    since = assessment.result.view.end if alarm.starts_at is None else alarm.starts_at
    annotations = {"summary": summary(rule, assessment.subject, status, assessment.result, since)}
    if assessment.series:
        annotations["series"] = assessment.series
    if status == "resolved" and alarm.resolved_at is None:
        annotations["description"] = NEW_SERIES
    elif told := described(found):
        annotations["description"] = told
    return annotations


def _exemplars(rule: Rule, view: WindowView) -> tuple[Exemplar, ...]:
    """Return the worst answers, where it is answers that the rule speaks of."""
    if isinstance(rule, BlindRule | TrafficRule):
        return ()
    return tuple(worst.exemplar() for worst in view.worst if not worst.fine)


def _scorer(subject: Subject, view: WindowView) -> dict[str, str] | None:
    if not subject.scorer:
        return None
    version, judge, model = view.speaker
    return {"name": subject.scorer, "version": version, "judge": judge, "judge_model": model}
