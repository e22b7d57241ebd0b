"""Every rule held against everything it watches, once for each boundary of panes."""

from collections.abc import Iterator, MutableMapping, Sequence
from dataclasses import dataclass

from schemas.alert import Alert
from schemas.tally import UNKNOWN_ASSISTANT
from streams.watch.alerts.alarm import COOLDOWN, Alarm, Patience, Signal, State, Status, step
from streams.watch.alerts.hints import hints
from streams.watch.alerts.message import Reading, Subject, compose, reach
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import DAY, Family, ScorePane
from streams.watch.panes.shelf import Shelf
from streams.watch.rules import kinds as rules
from streams.watch.rules.kinds import BlindRule, Cause, Rule, ThresholdRule, TrafficRule
from streams.watch.windows import WindowView, view

CAUSES: tuple[Cause, ...] = ("judge", "score")

QUIET = Alarm()
"""An alarm that nobody remembers."""

AT_ONCE = Patience(1)
"""Marks that stopped were waited for already."""

RECENT = DAY
"""A scorer that had no events for this long is not blind but gone."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The rules, what they look at, and the alarms that they keep."""

    rules: Sequence[Rule]
    scores: Shelf[ScorePane]
    ledgers: Shelf[LedgerPane]
    alarms: MutableMapping[Subject, Alarm]

    def at_boundary(self, at: int, *, stopped: bool) -> list[Alert]:
        """Evaluate every rule. `stopped`: nobody speaks of some source partition."""
        said: list[Alert] = []
        for rule in self.rules:
            for reading in self._readings(rule, at, stopped):
                said += self._told(rule, reading, at)
        return said

    def at_stop(self, since: int, *, now: int) -> list[Alert]:
        """Say who is blind since marks stopped: that does not wait for a boundary."""
        said: list[Alert] = []
        for rule in self.rules:
            if isinstance(rule, BlindRule):
                for scorer in self._recent(since):
                    said += self._blinded(rule, scorer, since, now)
        return said

    def active(self) -> list[Alert]:
        """Return the alerts that stand, with the figures of their last evaluation."""
        by_name = {rule.name: rule for rule in self.rules}
        said = []
        for subject, alarm in sorted(self.alarms.items(), key=lambda item: item[0]):
            rule = by_name.get(subject.rule)
            if rule and alarm.active:
                start = alarm.at - rules.milliseconds(reach(rule))
                scorer = Family(subject.assistant, subject.scorer)
                seen = view(self.scores, self.ledgers, scorer, start=start, end=alarm.at)
                reading = Reading(subject, Signal.RAISED, seen, rules.patience(rule))
                status: Status = "firing" if alarm.state is State.FIRING else "nodata"
                said.append(compose(rule, reading, alarm, status, hints(self.scores, seen)))
        return said

    def _blinded(self, rule: BlindRule, scorer: Family, since: int, now: int) -> list[Alert]:
        subject = Subject(rule.name, scorer.assistant, scorer.scorer, "score")
        alarm = self.alarms.get(subject, QUIET)
        at = since if alarm.resolved_at is None else max(since, alarm.resolved_at + COOLDOWN)
        if alarm.active or at > now:
            return []
        seen = self._view(rule, scorer, at)
        return self._told(rule, _sight(rule, scorer, "score", seen, stopped=True), at)

    def _readings(self, rule: Rule, at: int, stopped: bool) -> Iterator[Reading]:
        if isinstance(rule, ThresholdRule):
            for scorer in self._live():
                if scorer.scorer == rule.scorer:
                    yield self._quality(rule, scorer, at)
        elif isinstance(rule, BlindRule):
            for scorer in self._recent(at):
                seen = self._view(rule, scorer, at)
                for cause in CAUSES:
                    yield _sight(rule, scorer, cause, seen, stopped=stopped)
        else:
            yield from self._traffic(rule, at, stopped)

    def _quality(self, rule: ThresholdRule, scorer: Family, at: int) -> Reading:
        seen = self._view(rule, scorer, at)
        subject = Subject(rule.name, scorer.assistant, scorer.scorer)
        return Reading(
            subject,
            rules.threshold(rule, seen),
            seen,
            rules.patience(rule),
            seen.family.series,
        )

    def _traffic(self, rule: TrafficRule, at: int, stopped: bool) -> Iterator[Reading]:
        start = at - rules.milliseconds(rule.silent_for)
        for assistant, families in self._assistants().items():
            if any(shelf.has(family, 0, at) for shelf, family in families):
                rows = any(shelf.has(family, start, at) for shelf, family in families)
                signal = rules.traffic(rows=rows, stopped=stopped)
                empty = WindowView(Family(assistant), start, at, start)
                yield Reading(Subject(rule.name, assistant), signal, empty, rules.patience(rule))

    def _told(self, rule: Rule, reading: Reading, at: int) -> list[Alert]:
        """Move the alarm on, unless a crash left it further on than time itself."""
        subject = reading.subject
        alarm = self.alarms.get(subject, QUIET)
        if alarm.at >= at or (alarm is QUIET and reading.signal is not Signal.RAISED):
            return []
        series = reading.series or alarm.series
        after, status = step(alarm, reading.signal, at=at, series=series, patience=reading.patience)
        if status or after.remembers(at):
            self.alarms[subject] = after
        elif subject in self.alarms:
            del self.alarms[subject]
        if status is None:
            return []
        return [compose(rule, reading, after, status, hints(self.scores, reading.view))]

    def _view(self, rule: ThresholdRule | BlindRule, scorer: Family, at: int) -> WindowView:
        start = at - rules.milliseconds(rule.window)
        return view(self.scores, self.ledgers, scorer, start=start, end=at)

    def _live(self) -> list[Family]:
        return [scorer for scorer in self.scores.scorers() if not scorer.run]

    def _recent(self, at: int) -> list[Family]:
        return [
            scorer
            for scorer in self._live()
            if any(self.scores.has(one, at - RECENT, at) for one in self.scores.children(scorer))
        ]

    def _assistants(self) -> dict[str, list[tuple[Shelf[ScorePane] | Shelf[LedgerPane], Family]]]:
        """Return where each assistant's rows leave a trace: its ledger, and its scores."""
        found: dict[str, list[tuple[Shelf[ScorePane] | Shelf[LedgerPane], Family]]] = {}
        for ledger in self.ledgers.scorers():
            if not ledger.run and ledger.assistant != UNKNOWN_ASSISTANT:
                found.setdefault(ledger.assistant, []).append((self.ledgers, ledger))
        for scorer in self._live():
            for total in self.scores.children(scorer):
                found.setdefault(scorer.assistant, []).append((self.scores, total))
        return found


def _sight(
    rule: BlindRule, scorer: Family, cause: Cause, seen: WindowView, *, stopped: bool
) -> Reading:
    subject = Subject(rule.name, scorer.assistant, scorer.scorer, cause)
    signal = rules.blind(rule, seen, cause=cause, stopped=stopped)
    return Reading(subject, signal, seen, AT_ONCE if stopped else rules.patience(rule))
