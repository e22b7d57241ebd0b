"""How long a sum of evidence runs before it reaches a limit by chance, and which limit to set.

The sum begins at zero, gains `gain` with the chance `chance`, else loses 1, and never falls below
zero: a Markov chain on whole numbers, whose expected run is the solution of linear equations
(Brook and Evans 1972). They are solved exactly, by elimination from the limit down.
"""

from functools import lru_cache
from math import floor, log10

MOST = 1e10
"""Rows beyond which a limit is not raised: the equations lose their digits, and nobody waits."""


def run_length(gain: int, limit: int, chance: float) -> float:
    """Return the expected number of steps until the sum is at `limit` (1 or more)."""
    # The run from i is held as base[i] + slope[i] times the run from i - 1.
    base, slope = [0.0] * (limit + gain), [0.0] * (limit + gain)
    run = 0.0
    for start in range(limit - 1, -1, -1):
        above_base, above_slope = 0.0, 1.0
        for state in range(min(start + gain, limit), start, -1):
            above_base += above_slope * base[state]
            above_slope *= slope[state]
        known, factor = 1 + chance * above_base, 1 - chance * above_slope
        base[start], slope[start] = known / factor, (1 - chance) / factor
        run = known / (factor - (1 - chance)) if start == 0 else run
    return run


@lru_cache(maxsize=256)
def limit_for(gain: int, chance: float, rows: float) -> int:
    """Return the least limit that is reached by chance once in `rows` steps at most.

    `rows` is rounded up to two digits: a limit that moved with every row would be noise.
    """
    rows = _rounded_up(min(rows, MOST))
    high = 1
    while run_length(gain, high, chance) < rows:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if run_length(gain, middle, chance) >= rows else (middle, high)
    return high


def _rounded_up(rows: float) -> float:
    if rows <= 1:
        return 1.0
    unit: float = 10.0 ** (floor(log10(rows)) - 1)
    return -(-rows // unit) * unit
