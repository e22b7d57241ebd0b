"""The watch half as one pure fold: records in, panes and alerts out. Time is a record too.

    score, tally   -> panes (panes/)
    mark, tick     -> watermark (marks.py) -> rules at each boundary (rules/, alerts/),
                      final panes, longer panes (panes/ageing.py)

The same records in the same order give the same messages. Scores must come in order of offset, and
may be read ahead of marks or behind them: a mark waits for the scores that it speaks of. Hand in a
tick only once every record that was there before it has been handed in.

A host with durable tables hands in mappings that buffer writes, publishes what `fold` returns, and
writes once that is acknowledged: what was published twice has the same key or the same alert id.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.pane import Pane
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import from_milliseconds, to_milliseconds
from streams.watch.alerts.assessments import Assessments
from streams.watch.alerts.evaluation import Evaluator
from streams.watch.marks import Clock
from streams.watch.messages import message_of
from streams.watch.options import Options
from streams.watch.panes.filing import Filing
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import SECOND, Family, PaneKey, ScorePane, milliseconds
from streams.watch.panes.shelf import Shelf, Stored
from streams.watch.progression import LIVE, Progression, Written
from streams.watch.tables import Position, Tables
from streams.watch.views import informed, segments_of, view
from streams.watch.windows import WindowView

UPDATE_EVERY = 10 * SECOND
"""How often changed panes go out, at most."""

POSITION, MARKS = "scores", "marks"


class Due(NamedTuple):
    """The offsets of the two topics from which everything is still to be applied."""

    scores: int
    marks: int


Folded = ScoreEvent | Tally | Mark | Tick | None
"""What may be handed in."""


class Watch:
    """The fold of one partition. Its state is the tables; all else is derived from them."""

    def __init__(self, options: Options, tables: Tables | None = None) -> None:
        self.tables = tables or Tables()
        self._accuracies = options.accuracies
        self._scores: Shelf[ScorePane] = Shelf(self.tables.scores)
        self._ledgers: Shelf[LedgerPane] = Shelf(self.tables.ledgers)
        self._filing = Filing(
            self._scores, self._ledgers, segments=options.segments, max_panes=options.max_panes
        )
        self._evaluation = _evaluation(options, self.tables, self._scores, self._ledgers)
        self._progression = Progression(
            self._scores,
            self._ledgers,
            self._filing,
            self._evaluation,
            milliseconds(options.lateness),
        )
        self._remembered = self._applied = self._position.applied
        self._changed = self._unpublished(self._scores.items())
        self._changed |= self._unpublished(self._ledgers.items())

    def fold(self, message: Folded, *, offset: int = -1) -> list[Pane | Alert]:
        """Take one record in, and return what to publish. Only scores and tallies have an offset.

        A record of the scores topic that could not be read is a None: its offset has passed.
        """
        if isinstance(message, Mark):
            return self._mark(message)
        if isinstance(message, Tick):
            return self._tick(to_milliseconds(message.at))
        if message and not self._is_over(message, offset):
            self._changed.update(self._filing.file(message, offset=offset))
        self._applied = max(self._applied, offset)
        return self._let_marks_through()

    def scorers(self) -> list[tuple[str, str]]:
        """Return each assistant and scorer that has live panes."""
        return [(one.assistant, one.scorer) for one in self._scores.scorers() if not one.run]

    def window(
        self, assistant: str, scorer: str, *, length: timedelta, at: datetime, run: str = LIVE
    ) -> WindowView:
        """Return what the time before `at` says, rounded to panes."""
        end = to_milliseconds(at)
        family = Family(assistant, scorer, run=run)
        start = end - milliseconds(length)
        seen = view(self._scores, self._ledgers, family, start=start, end=end)
        return informed(seen, self._accuracies)

    def segments(self, seen: WindowView) -> list[WindowView]:
        """Return what a window says of each segment of its series that has answers in it."""
        return segments_of(seen, self._scores)

    def active(self) -> list[Alert]:
        """Return the alerts that fire (or fired when their data went), with today's figures."""
        return self._evaluation.active()

    @property
    def due(self) -> Due:
        """Where a host that keeps the tables has to read on, in this life or the next one."""
        marks = self.tables.positions.get(MARKS, Position())
        return Due(self._position.applied + 1, marks.applied + 1)

    def pass_mark(self, offset: int) -> None:
        """Remember that the marks up to this offset are folded."""
        self.tables.positions[MARKS] = Position(applied=offset)

    @property
    def watermark(self) -> datetime | None:
        """How far event time has surely come; None before that is known."""
        clock = self.tables.clocks.get(LIVE)
        at = clock.watermark if clock else None
        return None if at is None else from_milliseconds(at)

    @property
    def stopped(self) -> list[int]:
        """The source partitions that nobody speaks of any more."""
        return sorted(self.tables.clocks.get(LIVE, Clock()).stopped())

    @property
    def _position(self) -> Position:
        return self.tables.positions.get(POSITION, Position())

    def _unpublished(self, panes: Iterable[tuple[PaneKey, Stored]]) -> set[PaneKey]:
        flushed = self._position.flushed
        return {key for key, pane in panes if pane.last > flushed}

    def _is_over(self, message: ScoreEvent | Tally, offset: int) -> bool:
        """Say whether a log that is read again brings rows of a run whose panes are gone."""
        run = message.run
        return run is not None and offset <= self._remembered and run not in self.tables.clocks

    def _mark(self, mark: Mark) -> list[Pane | Alert]:
        """What stopped before a mark came is noticed first, as if a tick had told of it."""
        run, at = mark.run or LIVE, to_milliseconds(mark.at)
        before = self.tables.clocks.get(run, Clock())
        said: list[Pane | Alert] = [*self._stops(run, before.at(at))]
        clock = before.hearing(mark).applied(self._applied + 1)
        return said + self._move(run, before, clock) + self._flush(at)

    def _tick(self, at: int) -> list[Pane | Alert]:
        before = self.tables.clocks.get(LIVE, Clock())
        clock = before.at(at).advanced()
        said: list[Pane | Alert] = [*self._stops(LIVE, clock)]
        said += self._move(LIVE, before, clock)
        return [*said, *self._evaluation.withdraw(at), *self._flush(at)]

    def _let_marks_through(self) -> list[Pane | Alert]:
        said: list[Pane | Alert] = []
        for run, before in list(self.tables.clocks.items()):
            said += self._move(run, before, before.applied(self._applied + 1))
        return said

    def _stops(self, run: str, clock: Clock) -> list[Alert]:
        stopped = clock.stopped()
        if run != LIVE or not stopped:
            return []
        return self._evaluation.at_stop(min(stopped.values()), now=clock.now)

    def _move(self, run: str, before: Clock, clock: Clock) -> list[Pane | Alert]:
        """Do what time brings, and remember the clock."""
        if clock is before:
            return []
        said: list[Pane | Alert] = []
        if run == LIVE:
            clock, alerts, written = self._progression.live(clock)
            said += [*alerts, *self._published(written)]
        elif clock.watermark is not None:
            said += self._published(self._progression.age(run, clock.watermark))
        if clock.done:
            said += self._published(self._progression.end(run))
            self.tables.clocks.pop(run, None)
            # A later life must not read its rows again: nothing would ever end them.
            self.tables.positions[POSITION] = replace(self._position, applied=self._applied)
        else:
            self.tables.clocks[run] = clock
        return said

    def _flush(self, at: int) -> list[Pane | Alert]:
        """Publish what changed, if that was not done just now, and remember how far we are."""
        position = self._position
        said: list[Pane | Alert] = []
        if at >= position.flushed_at + UPDATE_EVERY:
            for key in sorted(self._changed):
                pane = self._scores.get(key) or self._ledgers.get(key)
                if pane:
                    said.append(message_of(key, pane))
            self._changed.clear()
            position = Position(self._applied, self._applied, at)
        self.tables.positions[POSITION] = replace(position, applied=self._applied)
        return said

    def _published(self, written: Sequence[Written]) -> list[Pane]:
        self._changed |= self._unpublished(written)
        return [message_of(key, pane) for key, pane in written]


def _evaluation(
    options: Options, tables: Tables, scores: Shelf[ScorePane], ledgers: Shelf[LedgerPane]
) -> Evaluator:
    accuracies = options.accuracies
    assessments = Assessments(scores, ledgers, tables.alarms, tables.episodes, accuracies)
    standing = {alert.alert_id: alert for alert in options.standing}
    return Evaluator(
        options.rules, assessments, tables.alarms, tables.episodes, standing, options.links
    )
