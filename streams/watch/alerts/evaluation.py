"""Every rule held against everything it watches, once for each boundary of panes."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, field, replace

from schemas.alert import Alert
from schemas.wire import from_milliseconds, to_milliseconds
from streams.links import NO_LINKS, Links
from streams.watch.alerts.alarm import COOLDOWN, Alarm, State, Status, step
from streams.watch.alerts.assessments import Assessment, Assessments
from streams.watch.alerts.episodes import Episode, Episodes, note
from streams.watch.alerts.hints import Hints, hints
from streams.watch.alerts.message import compose
from streams.watch.alerts.subject import Subject, claims, labels_of
from streams.watch.alerts.withdrawal import withdrawn
from streams.watch.panes.pane import HOUR, Family, milliseconds
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.kinds import Rule, reach
from streams.watch.rules.result import Signal
from streams.watch.rules.traffic import TrafficRule

QUIET = Alarm()
"""An alarm that nobody remembers."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """The rules, what they say, and the alarms that they keep.

    `standing` are the alerts that an earlier life without memory left behind, by id; `links` stand
    on every alert.
    """

    rules: Sequence[Rule]
    assessments: Assessments
    alarms: MutableMapping[Subject, Alarm]
    episodes: Episodes
    standing: dict[str, Alert] = field(default_factory=dict)
    links: Links = NO_LINKS

    def at_boundary(self, at: int, *, stopped: bool) -> list[Alert]:
        """Evaluate every rule. `stopped`: nobody speaks of some source partition."""
        said: list[Alert] = []
        for rule in self.rules:
            for assessment in self.assessments.at(rule, at, stopped=stopped):
                said += self._told(rule, assessment, at)
        return said

    def at_stop(self, since: int, *, now: int) -> list[Alert]:
        """Say who is blind since marks stopped: that does not wait for a boundary."""
        said: list[Alert] = []
        for rule in self.rules:
            if isinstance(rule, BlindRule):
                for scorer in self.assessments.recent(since):
                    said += self._blinded(rule, scorer, since, now)
        return said

    def withdraw(self, now: int) -> list[Alert]:
        """End the alerts that no rule of today would tell of, once all that was there is read."""
        said = []
        for subject, alarm in sorted(self.alarms.items(), key=lambda item: item[0]):
            if alarm.active and not any(claims(rule, alarm.labels) for rule in self.rules):
                said.append(_ended(alarm, now))
                self._close(subject, now)
                del self.alarms[subject]
        kept = {_ended(alarm, now).alert_id for alarm in self.alarms.values() if alarm.active}
        for alert in self.standing.values():
            if alert.alert_id not in kept and self._is_ours(alert):
                at = from_milliseconds(max(now, to_milliseconds(alert.evaluated_at)))
                said.append(withdrawn(alert.labels, starts_at=alert.starts_at, at=at))
        self.standing.clear()
        return [self.links.on(alert) for alert in said]

    def active(self) -> list[Alert]:
        """Return the alerts that stand, with the figures of their last evaluation."""
        said = []
        for rule in self.rules:
            mine = {s: alarm for s, alarm in self.alarms.items() if s.rule == rule.name}
            for at in sorted({alarm.at for alarm in mine.values() if alarm.active}):
                for assessment in self.assessments.at(rule, at, stopped=False):
                    alarm = mine.get(assessment.subject, QUIET)
                    if alarm.active and alarm.at == at:
                        status: Status = "firing" if alarm.state is State.FIRING else "nodata"
                        said.append(self._composed(rule, assessment, alarm, status))
        return said

    def _blinded(self, rule: BlindRule, scorer: Family, since: int, now: int) -> list[Alert]:
        subject = Subject(rule.name, scorer.assistant, scorer.scorer, "score")
        alarm = self.alarms.get(subject, QUIET)
        at = since if alarm.resolved_at is None else max(since, alarm.resolved_at + COOLDOWN)
        if alarm.active or at > now:
            return []
        return self._told(rule, self.assessments.stopped(rule, scorer, at), at)

    def _told(self, rule: Rule, assessment: Assessment, at: int) -> list[Alert]:
        """Move the alarm on, unless a crash left it further on than time itself."""
        subject, signal = assessment.subject, assessment.result.signal
        before = self.alarms.get(subject, QUIET)
        if before.at >= at or (before is QUIET and signal is not Signal.RAISED):
            return []
        series = assessment.series or before.series
        after, status = step(before, signal, at=at, series=series, patience=assessment.patience)
        if status:
            after = replace(after, labels=labels_of(rule, subject))
            self._remember(rule, subject, after)
        if status or after.remembers(at):
            self.alarms[subject] = after
        elif subject in self.alarms:
            del self.alarms[subject]
        if status is None:
            return []
        alert = self._composed(rule, assessment, after, status)
        if status == "resolved":
            self.standing.pop(alert.alert_id, None)
        return [alert]

    def _composed(self, rule: Rule, assessment: Assessment, alarm: Alarm, status: Status) -> Alert:
        found = self._hints(rule, assessment, status)
        return self.links.on(compose(rule, assessment, alarm, status, found))

    def _remember(self, rule: Rule, subject: Subject, alarm: Alarm) -> None:
        """Note an episode before its alarm is written: after a crash between, it is noted again."""
        if not isinstance(rule, BlindRule | TrafficRule) and alarm.starts_at is not None:
            start = alarm.starts_at - min(HOUR, milliseconds(reach(rule)))
            end = None if alarm.active else alarm.at
            note(self.episodes, subject.family, Episode(rule.name, start, end), at=alarm.at)

    def _close(self, subject: Subject, at: int) -> None:
        """End a withdrawn rule's episode."""
        for episode in self.episodes.get(subject.family, ()):
            if episode.rule == subject.rule and episode.end is None:
                note(self.episodes, subject.family, episode._replace(end=at), at=at)

    def _hints(self, rule: Rule, assessment: Assessment, status: Status) -> Hints:
        if status != "firing" or isinstance(rule, BlindRule | TrafficRule):
            return Hints()
        view = assessment.result.view
        return hints(self.assessments.history(assessment.subject, view.end), view)

    def _is_ours(self, alert: Alert) -> bool:
        """Say whether an alert speaks of an assistant of this partition."""
        service, environment = alert.labels.get("service_name"), alert.labels.get("environment")
        return self.assessments.knows(f"{service}/{environment}")


def _ended(alarm: Alarm, now: int) -> Alert:
    starts_at = from_milliseconds(alarm.starts_at or now)
    return withdrawn(alarm.labels, starts_at=starts_at, at=from_milliseconds(max(now, alarm.at)))
