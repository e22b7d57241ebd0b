"""Limits of what is known only by an equation that other estimates enter."""

from collections.abc import Callable, Sequence
from math import fsum, sqrt

from streams.watch.estimates.rates import Rate

Term = tuple[float, Rate]
"""How fast an estimate moves the balance, and the estimate."""

Balance = Callable[[float], tuple[float, Sequence[Term]]]
"""At a value: what is left over with every estimate at its point, and how each of them moves it."""

_HALVINGS = 50


def limits_of_root(balance: Balance, *, low: float, high: float) -> tuple[float, float]:
    """Return the limits of the value in [low, high] at which a falling balance is zero.

    Within them lies every value whose balance may be zero: whose own limits, recovered from those
    of the independent estimates (MOVER; Donner and Zou 2012), hold it. That is Fieller's way, which
    needs no division: where the balance hardly falls, the limits are all of [low, high].
    """

    def least(value: float) -> float:
        left, terms = balance(value)
        return left - sqrt(fsum(_drop(speed, one) ** 2 for speed, one in terms))

    def most(value: float) -> float:
        left, terms = balance(value)
        return left + sqrt(fsum(_drop(-speed, one) ** 2 for speed, one in terms))

    return _falls_through(least, low, high), _falls_through(most, low, high)


def _drop(speed: float, one: Rate) -> float:
    """Return how far an estimate can pull the balance down."""
    return speed * (one.value - one.lower if speed > 0 else one.value - one.upper)


def _falls_through(line: Callable[[float], float], low: float, high: float) -> float:
    """Return where a line is zero: `low` where it begins below, `high` where it ends above."""
    if line(low) <= 0:
        return low
    if line(high) >= 0:
        return high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if line(middle) > 0 else (low, middle)
    return (low + high) / 2
