"""Who is asked at a boundary: each rule about each thing that it watches, and what it says."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from schemas.tally import UNKNOWN_ASSISTANT
from streams.watch.alerts.alarm import Alarm, Patience
from streams.watch.alerts.episodes import Episodes, alerted
from streams.watch.alerts.subject import Subject
from streams.watch.estimates.correction import Accuracies
from streams.watch.history import History
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import DAY, MINUTE, Family, ScorePane, milliseconds
from streams.watch.panes.shelf import Shelf
from streams.watch.rules.blind import BlindRule, Cause, blind
from streams.watch.rules.kinds import QualityRule, Rule, SegmentRule, by_segments, quality, reach
from streams.watch.rules.result import RuleResult, Signal
from streams.watch.rules.traffic import TrafficRule, traffic
from streams.watch.windows import WindowView

HOLD = 15 * MINUTE
"""How long a rate must have been surely low before its alert is resolved."""

TWICE = Patience(2)
AT_ONCE = Patience(1)
"""Silence was waited for already."""

RECENT = DAY
"""A scorer or a segment that had no rows for this long is not blind or dumb but gone."""

GONE = "no answers of it for a day"

CAUSES: tuple[Cause, ...] = ("judge", "score")


@dataclass(frozen=True, slots=True)
class Assessment:
    """What a rule says of one subject at the end of a window, and how patient it is.

    `series` is empty where a rule does not care which one it is.
    """

    subject: Subject
    result: RuleResult
    patience: Patience
    series: str = ""


Traces = list[tuple[Shelf[ScorePane] | Shelf[LedgerPane], Family]]


@dataclass(frozen=True, slots=True)
class Assessments:
    """Asks rules, of what the panes hold. `alarms` names what was told and must be seen to."""

    scores: Shelf[ScorePane]
    ledgers: Shelf[LedgerPane]
    alarms: Mapping[Subject, Alarm]
    episodes: Episodes
    accuracies: Accuracies = field(default_factory=dict)

    def at(self, rule: Rule, at: int, *, stopped: bool) -> Iterator[Assessment]:
        """Yield what a rule says of everything that it watches."""
        match rule:
            case BlindRule():
                for scorer in self.recent(at):
                    seen = self._seen(rule, scorer, at)
                    for cause in CAUSES:
                        yield _sight(rule, seen, cause, stopped=stopped)
            case TrafficRule():
                yield from self._traffic(rule, at, stopped)
            case _:
                for scorer in self._live():
                    if scorer.scorer == rule.scorer:
                        yield from self._quality(rule, scorer, at)

    def recent(self, at: int) -> list[Family]:
        """Return the scorers that had events of late."""
        return [
            scorer
            for scorer in self._live()
            if any(self.scores.has(one, at - RECENT, at) for one in self.scores.children(scorer))
        ]

    def stopped(self, rule: BlindRule, scorer: Family, at: int) -> Assessment:
        """Return what a rule says of a scorer since marks stopped."""
        return _sight(rule, self._seen(rule, scorer, at), "score", stopped=True)

    def knows(self, assistant: str) -> bool:
        """Say whether an assistant has live panes here."""
        return assistant in self._assistants()

    def history(self, subject: Subject, at: int) -> History:
        """Return what may be looked back on for a subject."""
        return self._history(subject.family, at)

    def _seen(self, rule: BlindRule, scorer: Family, at: int) -> WindowView:
        return self._history(scorer, at).last(milliseconds(rule.window))

    def _history(self, scorer: Family, at: int) -> History:
        spoilt = alerted(self.episodes, scorer, at=at)
        whole = scorer._replace(segment="")
        segment, known = scorer.segment, self.accuracies
        return History(self.scores, self.ledgers, whole, at, segment, spoilt, known)

    def _quality(self, rule: QualityRule, scorer: Family, at: int) -> Iterator[Assessment]:
        if isinstance(rule, SegmentRule) and rule.by:
            yield from self._by_segments(rule, rule.by, scorer, at)
            return
        result = quality(rule, self._history(scorer, at))
        yield _about(rule, result, Patience(rule.for_, HOLD))

    def _by_segments(
        self, rule: SegmentRule, by: str, scorer: Family, at: int
    ) -> Iterator[Assessment]:
        """Ask about the segments in the window, and about those that somebody was told of.

        An alert on one that is gone (rolled back, say) would stand for ever: it ends.
        """
        whole = self._history(scorer, at)
        seen = whole.last(milliseconds(reach(rule)))
        here = whole.segments(seen, by)
        results = by_segments(
            rule, here, lambda one: self._history(scorer._replace(segment=one), at)
        )
        for result in results.values():
            yield _about(rule, result, Patience(rule.for_, HOLD))
        for segment in sorted(self._told(rule, scorer).difference(here)):
            view = replace(seen, family=seen.family._replace(segment=segment), panes=())
            if self._has_rows(scorer._replace(segment=segment), at):
                yield _about(rule, RuleResult(Signal.UNKNOWN, view), AT_ONCE)
            else:
                yield _about(rule, RuleResult(Signal.CALM, view, said=GONE), AT_ONCE)

    def _has_rows(self, part: Family, at: int) -> bool:
        """Say whether any series had rows of a segment of late."""
        whole = self.scores.children(part._replace(segment=""))
        parts = (one._replace(segment=part.segment) for one in whole)
        return any(self.scores.has(one, at - RECENT, at) for one in parts)

    def _told(self, rule: SegmentRule, scorer: Family) -> set[str]:
        """Return the segments of which an alert stands."""
        watched = (rule.name, scorer.assistant, scorer.scorer)
        active = (subject for subject, alarm in self.alarms.items() if alarm.active)
        return {one.segment for one in active if (one.rule, one.assistant, one.scorer) == watched}

    def _traffic(self, rule: TrafficRule, at: int, stopped: bool) -> Iterator[Assessment]:
        start = at - milliseconds(rule.silent_for)
        for assistant, families in self._assistants().items():
            if any(shelf.has(family, 0, at) for shelf, family in families):
                rows = any(shelf.has(family, start, at) for shelf, family in families)
                signal = traffic(rows=rows, stopped=stopped)
                empty = WindowView(Family(assistant), start, at, start)
                yield Assessment(Subject(rule.name, assistant), RuleResult(signal, empty), AT_ONCE)

    def _live(self) -> list[Family]:
        return [scorer for scorer in self.scores.scorers() if not scorer.run]

    def _assistants(self) -> dict[str, Traces]:
        """Return where each assistant's rows leave a trace: its ledger, and its scores."""
        found: dict[str, Traces] = {}
        for ledger in self.ledgers.scorers():
            if not ledger.run and ledger.assistant != UNKNOWN_ASSISTANT:
                found.setdefault(ledger.assistant, []).append((self.ledgers, ledger))
        for scorer in self._live():
            for total in self.scores.children(scorer):
                found.setdefault(scorer.assistant, []).append((self.scores, total))
        return found


def _about(rule: QualityRule, result: RuleResult, patience: Patience) -> Assessment:
    family = result.view.family
    subject = Subject(rule.name, family.assistant, family.scorer, segment=family.segment)
    return Assessment(subject, result, patience, family.series)


def _sight(rule: BlindRule, seen: WindowView, cause: Cause, *, stopped: bool) -> Assessment:
    result = blind(rule, seen, cause=cause, stopped=stopped)
    subject = Subject(rule.name, seen.family.assistant, seen.family.scorer, cause)
    return Assessment(subject, result, AT_ONCE if stopped else TWICE)
