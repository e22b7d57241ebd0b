"""How far a rate has moved between two windows, how sure that is, and which part of it moved it."""

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

from streams.watch.estimates.rates import Rate, Strata


class Change(NamedTuple):
    """A difference of two rates, in [-1, 1], with its limits."""

    value: float
    lower: float
    upper: float


class Weighed(NamedTuple):
    """Rated answers and bad ones, each weighing 1/probability."""

    rated: float = 0.0
    bad: float = 0.0

    def __sub__(self, other: "Weighed") -> "Weighed":
        """Return what is left without others."""
        return Weighed(self.rated - other.rated, self.bad - other.bad)


def change(now: Rate, before: Rate) -> Change:
    """Return `now` less `before`, for windows that share no row, as sure as both rates' limits.

    The limits are put together from theirs (MOVER), which for plain shares with Wilson's limits is
    the tenth method of Newcombe (1998), Interval estimation for the difference between independent
    proportions.
    """
    value = now.value - before.value
    below = sqrt((now.value - now.lower) ** 2 + (before.upper - before.value) ** 2)
    above = sqrt((now.upper - now.value) ** 2 + (before.value - before.lower) ** 2)
    return Change(value, max(-1.0, value - below), min(1.0, value + above))


def weighed(strata: Strata) -> Weighed:
    """Return the weighted sums of a window."""
    cells = [(p, cell) for _, cells in sorted(strata.items()) for p, cell in sorted(cells.items())]
    return Weighed(sum(cell.rated / p for p, cell in cells), sum(cell.bad / p for p, cell in cells))


def contributions(
    parts: Mapping[str, tuple[Weighed, Weighed]], *, now: Weighed, before: Weighed
) -> dict[str, float]:
    """Return how much of the change from `before` to `now` each part accounts for.

    `parts` are the (before, now) of a window's parts. A part counts for its share of rows times
    what its rate lies above the old rate of all, now less before: so a new part that is worse than
    the rest was accounts for what it brought in. If the parts are all there is, this adds up to the
    change. Without rows before, the rate of all is what it was held against.
    """
    old = before if before.rated else now
    if not now.rated:
        return {}
    usual = old.bad / old.rated
    return {
        name: _above(after, usual) / now.rated - _above(earlier, usual) / (before.rated or 1.0)
        for name, (earlier, after) in parts.items()
    }


def _above(part: Weighed, usual: float) -> float:
    return part.bad - usual * part.rated
