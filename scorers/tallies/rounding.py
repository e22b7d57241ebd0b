"""Rounding half up, as people expect of a figure that they see."""

import math
import sys


def half_up(value: float, *, places: int = 2) -> float:
    """Round half up, a machine epsilon counted in favour: 0.125 becomes 0.13, and 1.005 1.01."""
    shift = float(10**places)
    return math.floor((value + sys.float_info.epsilon) * shift + 0.5) / shift
