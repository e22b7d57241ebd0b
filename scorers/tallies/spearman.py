"""Rank correlation: whether a judge orders answers as people do."""

import math
from collections.abc import Sequence


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Spearman's rho in [-1, 1]; equal values share the mean of their ranks.

    None where it is undefined: fewer than two pairs, or one side constant. Raises ValueError where
    the sides are not equally long.
    """
    ranks = [_ranks(xs), _ranks(ys)]
    products = math.fsum(x * y for x, y in zip(*ranks, strict=True))
    lengths = [math.sqrt(math.fsum(rank * rank for rank in side)) for side in ranks]
    if 0.0 in lengths:
        return None
    return max(-1.0, min(1.0, products / (lengths[0] * lengths[1])))


def _ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, counted from the mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            ranks[place] = (start + end - len(values)) / 2
        start = end
    return ranks
