"""What changed: the segment values that hold more of the bad answers than their share of rows."""

from typing import NamedTuple

from streams.watch.panes.pane import ScorePane, Strata
from streams.watch.panes.shelf import Shelf
from streams.watch.windows import WindowView


class Excess(NamedTuple):
    """How many bad answers (weighted) a value has beyond what the rest's rate would give it."""

    bad: float
    value: str


def hints(scores: Shelf[ScorePane], view: WindowView) -> dict[str, str]:
    """Return for each segment attribute the value with the greatest excess, if any has one."""
    total = _weighed(view.strata)
    best: dict[str, Excess] = {}
    for family in scores.children(view.family):
        name, _, value = family.segment.partition("=")
        excess = Excess(_excess(_within(scores, view, family.segment), total), value)
        if excess.bad > 0:
            best[name] = max(excess, best.get(name, excess))
    return {name: excess.value for name, excess in sorted(best.items())}


class Weighed(NamedTuple):
    """Rated answers and bad ones, each weighing 1/probability."""

    rated: float
    bad: float


def _weighed(strata: Strata) -> Weighed:
    cells = [(p, cell) for cells in strata.values() for p, cell in sorted(cells.items())]
    return Weighed(sum(cell.rated / p for p, cell in cells), sum(cell.bad / p for p, cell in cells))


def _within(scores: Shelf[ScorePane], view: WindowView, segment: str) -> Weighed:
    panes = scores.between(view.family._replace(segment=segment), view.start, view.end)
    parts = [_weighed(pane.strata) for pane in panes]
    return Weighed(sum(part.rated for part in parts), sum(part.bad for part in parts))


def _excess(part: Weighed, total: Weighed) -> float:
    """A value that is all there is has no rest to be compared with."""
    rest = Weighed(total.rated - part.rated, total.bad - part.bad)
    if not part.rated or rest.rated <= 0:
        return 0.0
    return part.bad - part.rated * rest.bad / rest.rated
