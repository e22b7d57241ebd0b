"""How bad the answers are, and how sure that is, from sums by stratum and probability.

Within a stratum a row weighs 1/probability, and its limits are Wilson's on Kish's effective n.
Strata are put together by their shares of the rows seen (the ledger knows them exactly), their
limits by the method of variance estimates recovery (MOVER; Donner and Zou 2012).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, sqrt
from typing import NamedTuple

from schemas.pane import Cell

Z95 = 1.959964
"""Standard deviations on either side that hold 95 % of a normal distribution."""

NORMAL_FROM = 30
"""The effective n from which the limits of a mean may be taken as normal."""


@dataclass(frozen=True, slots=True)
class Rate:
    """An estimate in [0, 1] with its limits; `n` rows behind it, worth `n_eff` equal ones."""

    value: float
    lower: float
    upper: float
    n: int
    n_eff: float


class Sample(NamedTuple):
    """Weighted rows of a stratum: how many, their mean, its variance, and Kish's effective n."""

    n: int
    value: float
    variance: float
    n_eff: float


Limits = Callable[[Sample, float], tuple[float, float]]
Cells = Mapping[float, Cell]
Strata = Mapping[str, Cells]


def bad_rate(strata: Strata, seen: Mapping[str, float], *, z: float = Z95) -> Rate | None:
    """Return the share of bad answers among the rated ones, None without any.

    `seen` counts the rows of each stratum, scored or not; empty where no ledger covers the rows.
    """
    return _estimate(strata, seen, _rated, _wilson, z)


def mean_score(strata: Strata, seen: Mapping[str, float], *, z: float = Z95) -> Rate | None:
    """Return the mean normalized score of all scored answers, None without any."""
    return _estimate(strata, seen, _scored, _mean_limits, z)


def wilson(value: float, n: float, *, z: float) -> tuple[float, float]:
    """Return Wilson's score limits of a share seen in `n` rows (n > 0, may be fractional)."""
    centre = (value + z * z / (2 * n)) / (1 + z * z / n)
    half = z * sqrt(value * (1 - value) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))


def _estimate(
    strata: Strata,
    seen: Mapping[str, float],
    sample: Callable[[list[Cells]], Sample | None],
    limits: Limits,
    z: float,
) -> Rate | None:
    pooled = sample(list(strata.values()))
    if pooled is None:
        return None
    samples = {name: found for name, cells in strata.items() if (found := sample([cells]))}
    if all(seen.get(name) for name in samples):
        value, lower, upper = _mover(samples, seen, limits, z)
    else:
        value, (lower, upper) = pooled.value, limits(pooled, z)
    return Rate(value, lower, upper, pooled.n, pooled.n_eff)


def _mover(
    samples: Mapping[str, Sample], seen: Mapping[str, float], limits: Limits, z: float
) -> tuple[float, float, float]:
    """Strata seen and never scored have the others' mean as their point, and know no limits."""
    rows = sum(seen.values())
    scored = sum(seen[name] for name in samples)
    value = fsum(seen[name] * found.value for name, found in samples.items()) / scored
    below, above = [], []
    for name, number in seen.items():
        found = samples.get(name)
        point = found.value if found else value
        lower, upper = limits(found, z) if found else (0.0, 1.0)
        below.append((number / rows * (point - lower)) ** 2)
        above.append((number / rows * (upper - point)) ** 2)
    return value, max(0.0, value - sqrt(fsum(below))), min(1.0, value + sqrt(fsum(above)))


def _rated(strata: list[Cells]) -> Sample | None:
    rows = [(p, c.rated, c.bad, c.bad) for cells in strata for p, c in cells.items()]
    return _sample(rows)


def _scored(strata: list[Cells]) -> Sample | None:
    rows = [
        (p, c.n, c.millionths / 1e6, c.squares / 1e12) for cells in strata for p, c in cells.items()
    ]
    return _sample(rows)


def _sample(rows: Sequence[tuple[float, int, float, float]]) -> Sample | None:
    """Rows are (probability, n, sum, sum of squares). Exact sums: their order cannot matter.

    Only ratios of weights count, so the greatest is 1: no probability is too small to be squared.
    """
    n = sum(number for _, number, _, _ in rows)
    if not n:
        return None
    least = min(p for p, number, _, _ in rows if number)
    heavy = [(least / p, number, total, square) for p, number, total, square in rows if number]
    weight = fsum(w * number for w, number, _, _ in heavy)
    squared = fsum(w * w * number for w, number, _, _ in heavy)
    value = min(1.0, fsum(w * total for w, _, total, _ in heavy) / weight)
    spread = fsum(w * square for w, _, _, square in heavy) / weight - value * value
    return Sample(n, value, max(0.0, spread), weight * weight / squared)


def _wilson(sample: Sample, z: float) -> tuple[float, float]:
    return wilson(sample.value, sample.n_eff, z=z)


def _mean_limits(sample: Sample, z: float) -> tuple[float, float]:
    """Of values in [0, 1] none vary more than zeros and ones do, so Wilson's limits hold, widely.

    They serve where there is too little to be normal, or no spread to judge by.
    """
    if sample.n_eff < NORMAL_FROM or not sample.variance:
        return _wilson(sample, z)
    half = z * sqrt(sample.variance / (sample.n_eff - 1))
    return max(0.0, sample.value - half), min(1.0, sample.value + half)
