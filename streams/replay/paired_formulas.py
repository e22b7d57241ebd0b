"""Two judges of the same rows: how sure a difference between them is. Formulas only, pure.

A row that both have judged tells more than two rows that one each has: what makes a row hard is the
same on both sides, and goes out of the difference. Limits are 95 % sure.
"""

from collections.abc import Sequence
from math import exp, fsum, inf, lgamma, log, sqrt
from typing import NamedTuple

from streams.watch.estimates.changes import Change
from streams.watch.estimates.rates import NORMAL_FROM, Z95, wilson

_NEGLIGIBLE = 1e-17


class Square(NamedTuple):
    """Rows by two verdicts on each: bad on both sides, on one of them, on neither.

    Counts, or sums of weights.
    """

    both: float = 0
    before: float = 0
    after: float = 0
    neither: float = 0

    @property
    def rows(self) -> float:
        """All of them."""
        return fsum(self)

    @property
    def bad_before(self) -> float:
        """Those that are bad on the first side."""
        return self.both + self.before

    @property
    def bad_after(self) -> float:
        """Those that are bad on the second side."""
        return self.both + self.after

    def scaled(self, rows: float) -> "Square":
        """Return the same shares of another number of rows."""
        factor = rows / self.rows
        return Square(*(cell * factor for cell in self))


class Interval(NamedTuple):
    """A share or a mean in [0, 1] with its limits."""

    value: float
    lower: float
    upper: float


def mcnemar(before: int, after: int) -> float:
    """Return the exact two-sided p of McNemar's test; its arguments count rows bad on one side.

    If both sides were alike, a row that flips would do so either way with even chances: p is the
    chance of a split at least as uneven (McNemar 1947; exact and conditional on the number of
    flips, as in Fagerland, Lydersen and Laake 2013). 1 where no row flips.
    """
    flips, fewer = before + after, min(before, after)
    if before == after:
        return 1.0
    term = exp(lgamma(flips + 1) - lgamma(fewer + 1) - lgamma(flips - fewer + 1) - flips * log(2))
    terms = [term]
    for successes in range(fewer, 0, -1):
        term *= successes / (flips - successes + 1)
        if term <= terms[0] * _NEGLIGIBLE:
            break
        terms.append(term)
    return min(1.0, 2 * fsum(terms))


def rate_change(square: Square) -> Change:
    """Return how much higher the share of bad is after than before, of paired rows (at least one).

    The tenth method of Newcombe (1998), Improved confidence intervals for the difference between
    binomial proportions based on paired data. The square's rows count as so many equal ones: of
    weighted rows give shares scaled to their effective n.
    """
    n = square.rows
    after, before = (_share(bad, n) for bad in (square.bad_after, square.bad_before))
    return difference(after, before, correlation=_phi(square))


def _share(bad: float, n: float) -> Interval:
    value = min(1.0, bad / n)
    return Interval(value, *wilson(value, n, z=Z95))


def _phi(square: Square) -> float:
    """Return the correlation of both verdicts; less where it is positive, for continuity's sake."""
    both, before, after, neither = square
    margins = (both + before) * (after + neither) * (both + after) * (before + neither)
    agreement = both * neither - before * after
    if agreement > 0:
        agreement = max(0.0, agreement - square.rows / 2)
    return agreement / sqrt(margins) if margins else 0.0


def score_change(differences: Sequence[float], weights: Sequence[float]) -> Change | None:
    """Return the mean of differences of paired scores, each in [-1, 1]; None without any.

    It is a mean gain less a mean loss, either in [0, 1]; no row has both, which makes them
    correlate. Their limits are normal where enough rows gain (or lose), else Wilson's: of values in
    [0, 1] none vary more than zeros and ones do. So rows that all agree are no proof that others
    would.
    """
    if not differences:
        return None
    n = effective(weights)
    gains, losses = (
        _Part.of([max(0.0, sign * one) for one in differences], weights) for sign in (1, -1)
    )
    spread = sqrt(gains.variance * losses.variance)
    correlation = -gains.mean * losses.mean / spread if spread else 0.0
    return difference(gains.interval(n), losses.interval(n), correlation=max(-1.0, correlation))


class _Part(NamedTuple):
    mean: float
    variance: float
    rows: int

    @classmethod
    def of(cls, values: Sequence[float], weights: Sequence[float]) -> "_Part":
        mean = weighted_mean(values, weights)
        squares = weighted_mean([value * value for value in values], weights)
        return cls(mean, max(0.0, squares - mean * mean), sum(value > 0 for value in values))

    def interval(self, n: float) -> Interval:
        if self.rows < NORMAL_FROM or n <= 1:
            return Interval(self.mean, *wilson(self.mean, n, z=Z95))
        half = Z95 * sqrt(self.variance / (n - 1))
        return Interval(self.mean, max(0.0, self.mean - half), min(1.0, self.mean + half))


def difference(after: Interval, before: Interval, *, correlation: float) -> Change:
    """Return `after` less `before`, its limits recovered from theirs.

    The method of variance estimates recovery (MOVER; Zou 2008) for estimates that correlate.
    """
    value = after.value - before.value
    below = _side(after.value - after.lower, before.upper - before.value, correlation)
    above = _side(after.upper - after.value, before.value - before.lower, correlation)
    return Change(value, max(-1.0, value - below), min(1.0, value + above))


def _side(one: float, other: float, correlation: float) -> float:
    return sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))


def kappa(square: Square) -> float | None:
    """Return Cohen's kappa (1960): agreement beyond that of chance; None where chance has it all.

    At most 1; 0 is what two judges have who know nothing of each other.
    """
    n = square.rows
    if not n:
        return None
    agreed = (square.both + square.neither) / n
    before, after = square.bad_before / n, square.bad_after / n
    chance = before * after + (1 - before) * (1 - after)
    return (agreed - chance) / (1 - chance) if chance < 1 else None


def weighted_mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return Hájek's mean: weighted values over the sum of the weights, which must not be zero."""
    return fsum(w * v for v, w in zip(values, weights, strict=True)) / fsum(weights)


def effective(weights: Sequence[float]) -> float:
    """Return how many equal rows weighted ones are worth (Kish 1965); 0 for none."""
    most = max(weights, default=inf)
    squares = fsum((weight / most) ** 2 for weight in weights)
    return fsum(weight / most for weight in weights) ** 2 / squares if squares else 0.0
