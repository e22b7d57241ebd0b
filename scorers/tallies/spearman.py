"""Rank correlation: whether a judge orders answers as people do."""

import math
from collections.abc import Sequence


def spearman(
    xs: Sequence[float], ys: Sequence[float], weights: Sequence[float] | None = None
) -> float | None:
    """Return Spearman's rho in [-1, 1]; equal values share the mean of their ranks.

    `weights` (positive) say how many pairs each one stands for; without them, one. None where it is
    undefined: fewer than two pairs, or one side constant. Raises ValueError where the sides are not
    equally long.
    """
    stands_for = [1.0] * len(xs) if weights is None else weights
    ranks = [_ranks(xs, stands_for), _ranks(ys, stands_for)]
    products = math.fsum(w * x * y for w, x, y in zip(stands_for, *ranks, strict=True))
    lengths = [
        math.sqrt(math.fsum(w * rank * rank for w, rank in zip(stands_for, side, strict=True)))
        for side in ranks
    ]
    if 0.0 in lengths:
        return None
    return max(-1.0, min(1.0, products / (lengths[0] * lengths[1])))


def _ranks(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the rank of each value, counted from the mean rank."""
    if len(values) != len(weights):
        raise ValueError("the sides are not equally long")
    order = sorted(range(len(values)), key=values.__getitem__)
    total, below = math.fsum(weights), 0.0
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        alike = math.fsum(weights[place] for place in order[start:end])
        for place in order[start:end]:
            ranks[place] = below + (alike - total) / 2
        below += alike
        start = end
    return ranks
