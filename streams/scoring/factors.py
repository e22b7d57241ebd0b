"""By how much probabilities are lowered, fairly between assistants. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp2, floor, log2

LEAST = 2.0**-20
"""No factor is below it: a row that can never be drawn has no weight."""

_STEPS = 8
"""Factors in one halving. Few different ones keep the sums by probability few."""


@dataclass(frozen=True, slots=True)
class Factors:
    """What each assistant's probabilities are multiplied by, in (0, 1]."""

    others: float = 1.0
    """That of an assistant which had no rows yet."""
    by_assistant: Mapping[str, float] = field(default_factory=dict)

    def of(self, assistant: str) -> float:
        """Return an assistant's factor."""
        return self.by_assistant.get(assistant, self.others)

    @property
    def least(self) -> float:
        """The smallest factor of all."""
        return min(self.by_assistant.values(), default=self.others)


UNCHANGED = Factors()


def shared_out(demand: Mapping[str, float], factor: float) -> Factors:
    """Return the factors with which assistants get the part `factor` in (0, 1] of their demand.

    Fair is max-min: what can be had is shared out equally, and who needs less than an equal part
    leaves the rest to the others. So a busy assistant never takes a quiet one's verdicts.
    """
    if factor >= 1:
        return UNCHANGED
    level = _level(sorted(filter(None, demand.values())), factor)
    found = {name: _step(min(1.0, level / wants)) for name, wants in demand.items() if wants}
    return Factors(_step(factor), found)


def _level(wants: list[float], factor: float) -> float:
    """Return the most that anyone gets, where everyone together gets `factor` of what is wanted."""
    left = factor * sum(wants)
    for place, want in enumerate(wants):
        equal = left / (len(wants) - place)
        if want >= equal:
            return equal
        left -= want
    return wants[-1] if wants else 0.0  # all but everything, and rounding left nobody wanting


def _step(factor: float) -> float:
    """Return the step at or below a factor."""
    if factor >= 1:
        return 1.0
    steps = floor(log2(max(LEAST, factor)) * _STEPS + 1e-9)
    return exp2(steps / _STEPS)
