"""Which panes a stretch of time is read from: those of the series that spoke most in it."""

from collections.abc import Iterable
from dataclasses import replace

from streams.watch.estimates.correction import Accuracies
from streams.watch.panes.ledger import LedgerPane
from streams.watch.panes.pane import Family, ScorePane
from streams.watch.panes.shelf import Shelf
from streams.watch.windows import WindowView


def view(
    scores: Shelf[ScorePane],
    ledgers: Shelf[LedgerPane],
    scorer: Family,
    *,
    start: int,
    end: int,
) -> WindowView:
    """Return what [start, end) says of a scorer (a family without series)."""
    series = {family: scores.pieces(family, start, end) for family in scores.children(scorer)}
    here = [family for family, panes in series.items() if panes]
    current, since = scorer, start
    if here:
        current = max(here, key=lambda family: (_scored(series[family]), _begin(scores, family)))
        since = max(start, _begin(scores, current))
    books = Family(scorer.assistant, run=scorer.run)
    return WindowView(
        family=current,
        start=start,
        end=end,
        since=since,
        panes=tuple(series.get(current, ())),
        every_series=tuple(pane for family in here for pane in scores.pieces(family, since, end)),
        ledgers=tuple(ledgers.pieces(books, since, end)),
    )


def informed(view: WindowView, accuracies: Accuracies) -> WindowView:
    """Return a view that knows how accurate its series' judge is, where that is known."""
    return replace(view, accuracy=accuracies.get(view.family.series))


def segment_of(view: WindowView, scores: Shelf[ScorePane], segment: str) -> WindowView:
    """Return what a view's window says of one segment of its series. Coverage is the total's."""
    family = view.family._replace(segment=segment)
    return replace(view, family=family, panes=tuple(scores.pieces(family, view.start, view.end)))


def segments_of(view: WindowView, scores: Shelf[ScorePane]) -> list[WindowView]:
    """Return what a view's window says of each segment of its series that has answers in it."""
    here = (one for one in scores.children(view.family) if scores.has(one, view.start, view.end))
    return [segment_of(view, scores, one.segment) for one in here]


def _begin(scores: Shelf[ScorePane], family: Family) -> int:
    return scores.first(family) or 0


def _scored(panes: Iterable[ScorePane]) -> int:
    return sum(pane.outcomes.get("scored", 0) for pane in panes)
