"""Panes filled by hand, and what a rule may look back on in them."""

from dataclasses import dataclass, field

from schemas.pane import Cell, Flow
from schemas.wire import to_milliseconds
from streams.watch.history import History, Span
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import MINUTE, Family, PaneKey, ScorePane
from streams.watch.panes.shelf import Shelf
from tests.streams.watch.records import MIDNIGHT, SCORER, SHOP

START = to_milliseconds(MIDNIGHT)
WHOLE = Family(SHOP, SCORER)
SERIES = Family(SHOP, SCORER, "s1")
HOUR, DAY = 60, 24 * 60
"""In minutes, as all times here are: minutes since a midnight."""


@dataclass(slots=True)
class Filled:
    """Shelves that are filled by the minute, each row with a chance of one in ten."""

    scores: Shelf[ScorePane] = field(default_factory=lambda: Shelf({}))
    ledgers: Shelf[LedgerPane] = field(default_factory=lambda: Shelf({}))
    offset: int = 0

    def fill(
        self,
        start: int,
        end: int,
        *,
        rated: int,
        bad: int,
        every: int = 1,
        segment: str = "",
        series: str = "s1",
        counts: dict[str, int] | None = None,
    ) -> "Filled":
        """Put the same rows into each `every`th minute of [start, end)."""
        family = SERIES._replace(segment=segment, series=series)
        cell = Cell(rated, rated, bad, (rated - bad) * 10**6, (rated - bad) * 10**12)
        for minute in range(start, end, every):
            self.offset += 1
            pane = ScorePane(
                last=self.offset,
                strata={"base": {0.1: cell}},
                outcomes={"scored": rated},
                counts=counts or {},
            )
            at = START + minute * MINUTE
            self.scores.put(PaneKey(family, at, MINUTE), pane)
            if not segment:
                flow = Flow(10 * rated, 0, {SCORER: rated})
                ledger = LedgerPane(last=self.offset, flows={"base": flow})
                self.ledgers.put(PaneKey(Family(SHOP), at, MINUTE), ledger)
        return self

    def history(self, minute: int, *, alerted: tuple[Span, ...] = (), segment: str = "") -> History:
        """Return what may be looked back on at the end of a minute."""
        spans = [(START + start * MINUTE, START + end * MINUTE) for start, end in alerted]
        at = START + minute * MINUTE
        return History(self.scores, self.ledgers, WHOLE, at, segment, spans)
