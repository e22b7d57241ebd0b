"""A judge's verdicts against people's labels, as a table of two by two whose margins are estimates.

Every figure solves an equation in the three estimates, and its limits follow from theirs
(`streams.watch.estimates.roots`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from streams.watch.estimates.rates import Rate
from streams.watch.estimates.roots import Term, limits_of_root


@dataclass(frozen=True, slots=True)
class Comparison:
    """The share of verdicts that are bad, and people's shares of bad among both verdicts.

    The three are independent, and all that a table of verdicts and labels has to say. A figure is
    None where it divides nothing by nothing. Of a figure only value and limits are set.
    """

    share: Rate
    among_bad: Rate
    among_good: Rate

    def bad(self) -> Rate:
        """Of all answers, those that people call bad."""
        a, b, g = self._values()
        value = a * b + (1 - a) * g

        def balance(at: float) -> tuple[float, list[Term]]:
            return value - at, self._terms(b - g, a, 1 - a)

        return _estimate(value, *limits_of_root(balance, low=0.0, high=1.0))

    def sensitivity(self) -> Rate | None:
        """Of the answers that people call bad, those that the judge does."""
        a, b, g = self._values()
        return _part(
            (a * b, (1 - a) * g),
            lambda at: self._terms((1 - at) * b + at * g, (1 - at) * a, -at * (1 - a)),
        )

    def specificity(self) -> Rate | None:
        """Of the answers that people call good, those that the judge does."""
        a, b, g = self._values()
        return _part(
            ((1 - a) * (1 - g), a * (1 - b)),
            lambda at: self._terms(-(1 - at) * (1 - g) - at * (1 - b), at * a, -(1 - at) * (1 - a)),
        )

    def kappa(self) -> Rate | None:
        """Cohen's kappa: agreement beyond that of chance, in [-1, 1]."""
        a, b, g = self._values()
        bad = a * b + (1 - a) * g
        beyond, most = 2 * a * (1 - a) * (b - g), a + (1 - 2 * a) * bad
        if most <= 0:
            return None

        def balance(at: float) -> tuple[float, list[Term]]:
            tilt = at * (1 - 2 * a)
            by_share = 2 * (1 - 2 * a) * (b - g) - at * (1 - 2 * bad) - tilt * (b - g)
            by_bad, by_good = a * (2 * (1 - a) - tilt), -(1 - a) * (2 * a + tilt)
            return beyond - at * most, self._terms(by_share, by_bad, by_good)

        return _estimate(beyond / most, *limits_of_root(balance, low=-1.0, high=1.0))

    def _values(self) -> tuple[float, float, float]:
        return self.share.value, self.among_bad.value, self.among_good.value

    def _terms(self, share: float, among_bad: float, among_good: float) -> list[Term]:
        return [(share, self.share), (among_bad, self.among_bad), (among_good, self.among_good)]


def _part(masses: tuple[float, float], terms: Callable[[float], list[Term]]) -> Rate | None:
    """Return the first of two masses as a share of both."""
    first, second = masses
    if first + second <= 0:
        return None

    def balance(at: float) -> tuple[float, list[Term]]:
        return (1 - at) * first - at * second, terms(at)

    return _estimate(first / (first + second), *limits_of_root(balance, low=0.0, high=1.0))


def _estimate(value: float, lower: float, upper: float) -> Rate:
    return Rate(value, min(value, lower), max(value, upper), 0, 0.0)
