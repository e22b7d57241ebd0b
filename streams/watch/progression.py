"""What the passing of time brings: rules evaluated, panes final, panes made longer, runs over."""

from dataclasses import dataclass, replace

from schemas.alert import Alert
from streams.watch.alerts.evaluation import Evaluator
from streams.watch.marks import Clock
from streams.watch.panes.ageing import close, lengthen
from streams.watch.panes.filing import Filing
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import DAY, MINUTE, PaneKey, ScorePane
from streams.watch.panes.shelf import Shelf

DELAY = MINUTE
"""How far the watermark must be past a boundary before rules are evaluated there."""

LEAP = DAY
"""How much of a leap of the watermark is evaluated, boundary by boundary: its last part."""

LIVE = ""

Written = tuple[PaneKey, ScorePane | LedgerPane]
"""A pane as it has just been written."""


@dataclass(frozen=True, slots=True)
class Progression:
    """The panes that time works on. `lateness`: how long after its end a pane is open, in ms."""

    scores: Shelf[ScorePane]
    ledgers: Shelf[LedgerPane]
    filing: Filing
    evaluation: Evaluator
    lateness: int

    def live(self, clock: Clock) -> tuple[Clock, list[Alert], list[Written]]:
        """Let live time pass, boundary by boundary: evaluate the rules, then age the panes.

        A watermark that leaps does what one that walks would have done, for up to a day: one row
        with a date of long ago, or one wrong clock, must not hold everybody up.
        """
        said: list[Alert] = []
        written: list[Written] = []
        watermark = clock.watermark
        if watermark is None:
            return clock, said, written
        stopped = bool(clock.stopped())
        begun = self._begin() if clock.evaluated is None else clock.evaluated
        last = watermark - DELAY - MINUTE
        if begun is not None:
            begun = max(begun, last - last % MINUTE - LEAP)
        for start in range(begun, last + 1, MINUTE) if begun is not None else ():
            boundary = start + MINUTE
            said += self.evaluation.at_boundary(boundary, stopped=stopped)
            written += self.age(LIVE, boundary + DELAY)
            clock = replace(clock, evaluated=boundary)
        return clock, said, [*written, *self.age(LIVE, watermark)]

    def age(self, run: str, watermark: int) -> list[Written]:
        """Close and lengthen the run's panes that are old enough."""
        return [
            *self._close(run, watermark - self.lateness),
            *lengthen(self.scores, run=run, now=watermark),
            *lengthen(self.ledgers, run=run, now=watermark),
        ]

    def end(self, run: str) -> list[Written]:
        """Close all panes of a run that is over, and forget it."""
        closed = self._close(run, None)
        self.scores.drop(self.scores.of_run(run))
        self.ledgers.drop(self.ledgers.of_run(run))
        return closed

    def _close(self, run: str, end: int | None) -> list[Written]:
        for key in self.scores.open_until(run, end):
            self.filing.forget(key)
        return [*close(self.scores, run=run, end=end), *close(self.ledgers, run=run, end=end)]

    def _begin(self) -> int | None:
        """Return where the first live pane begins."""
        starts = (self.scores.begin(LIVE), self.ledgers.begin(LIVE))
        return min((start for start in starts if start is not None), default=None)
