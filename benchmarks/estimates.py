"""Do the limits of a rate hold the truth as often as they say, and are they no wider than need be?

    python benchmarks/estimates.py [--runs 4000]

Fixed seeds. Rates of 2 to 30 %, 50 to 2,000 scored rows expected, four ways of drawing them:

    plain         every row has the same chance
    strata        10 % of the rows have a chance of 0.5 and are worse, the others one of 0.02
    thumbs-down   5 % of the rows are all judged and worse, the others have a chance of 0.02
    drop          the chance falls tenfold half-way, as when a budget bites

Every row is drawn or not, and is bad or not, on its own; the rows seen of each stratum are known,
as the ledger knows them. `bad_rate` of the watch half gets nothing but its sums. Width is held
against 2 x 1.96 standard deviations of the estimates themselves. A cell counts where it expects
five bad rows (n x rate) and 20 rows in every stratum: below that nothing can be promised.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

import numpy as np

from schemas.pane import Cell
from streams.watch.estimates.rates import Z95, bad_rate

RATES, SIZES = (0.02, 0.05, 0.10, 0.30), (50, 150, 500, 2_000)
WORSE, MOST = 5, 0.95
LEAST_BAD, LEAST_ROWS = 5, 20
SEED = 11


class Part(NamedTuple):
    """A share of the rows seen, with the chance of each to be judged, and the stratum it is in."""

    stratum: str
    share: float
    chance: float
    worse: bool = False


DESIGNS: Mapping[str, tuple[Part, ...]] = {
    "plain": (Part("base", 1.0, 0.05),),
    "strata": (Part("doubtful", 0.1, 0.5, worse=True), Part("base", 0.9, 0.02)),
    "thumbs-down": (Part("down", 0.05, 1.0, worse=True), Part("base", 0.95, 0.02)),
    "drop": (Part("base", 0.5, 0.1), Part("base", 0.5, 0.01)),
}


@dataclass(frozen=True, slots=True)
class Result:
    """What one cell came to. `width` is a multiple of the width that the truth would have."""

    coverage: float
    width: float
    bias: float
    counts: bool


def shares_bad(parts: tuple[Part, ...], rate: float) -> list[float]:
    """Return the bad share of each part: a worse one has five times the rate, as far as it can."""
    worse = min(MOST, WORSE * rate)
    held = sum(part.share for part in parts if part.worse)
    rest = (rate - held * worse) / (1 - held)
    return [worse if part.worse else rest for part in parts]


def cell(design: str, rate: float, size: int, *, runs: int) -> Result:
    """Run one cell of the grid."""
    parts = DESIGNS[design]
    bad_shares = shares_bad(parts, rate)
    total = size / sum(part.share * part.chance for part in parts)
    seen = [round(total * part.share) for part in parts]
    rng = np.random.default_rng((SEED, list(DESIGNS).index(design), round(1000 * rate), size))
    drawn = [rng.binomial(n, part.chance, runs) for n, part in zip(seen, parts, strict=True)]
    bad = [rng.binomial(n, share) for n, share in zip(drawn, bad_shares, strict=True)]
    rows: dict[str, int] = {}
    for n, part in zip(seen, parts, strict=True):
        rows[part.stratum] = rows.get(part.stratum, 0) + n
    found = []
    for run in range(runs):
        strata: dict[str, dict[float, Cell]] = {}
        for at, part in enumerate(parts):
            n, b = int(drawn[at][run]), int(bad[at][run])
            if n:
                strata.setdefault(part.stratum, {})[part.chance] = Cell(n=n, rated=n, bad=b)
        estimate = bad_rate(strata, rows)
        if estimate is not None:
            found.append(estimate)
    deviation = float(np.std([one.value for one in found]))
    expected: dict[str, float] = {}
    for n, part in zip(seen, parts, strict=True):
        expected[part.stratum] = expected.get(part.stratum, 0.0) + n * part.chance
    return Result(
        coverage=fmean(one.lower <= rate <= one.upper for one in found),
        width=fmean(one.upper - one.lower for one in found) / (2 * Z95 * deviation),
        bias=fmean(one.value for one in found) - rate,
        counts=size * rate >= LEAST_BAD and min(expected.values()) >= LEAST_ROWS,
    )


def main() -> None:
    """Print every cell, and the figures of those that count as one JSON object."""
    parser = argparse.ArgumentParser(description="Coverage and width of the limits of a rate.")
    parser.add_argument("--runs", type=int, default=4_000)
    runs = parser.parse_args().runs
    print(f"{'design':<14}{'rate':>6}{'n':>7}{'coverage':>10}{'width':>8}{'bias':>9}")
    counting = []
    for design in DESIGNS:
        for rate in RATES:
            for size in SIZES:
                one = cell(design, rate, size, runs=runs)
                line = f"{design:<14}{rate:>6.0%}{size:>7}{one.coverage:>10.4f}{one.width:>8.3f}"
                print(f"{line}{one.bias:>+9.4f}{'' if one.counts else '   does not count'}")
                counting += [one] if one.counts else []
    figures = {
        "worst_coverage": min(one.coverage for one in counting),
        "mean_coverage": fmean(one.coverage for one in counting),
        "width_ratio": fmean(one.width for one in counting),
    }
    print(json.dumps({name: round(figure, 4) for name, figure in figures.items()}))


if __name__ == "__main__":
    main()
