"""What a rule says of what it looked at."""

from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

from streams.watch.estimates.rates import Rate
from streams.watch.windows import WindowView

BELIEVED_FROM = 0.8
"""The coverage below which a rate is not believed: missing verdicts are no random sample."""


class Signal(StrEnum):
    """What an evaluation says: surely too bad, surely not, neither, or that it cannot know."""

    RAISED = "raised"
    CALM = "calm"
    UNSURE = "unsure"
    UNKNOWN = "unknown"
    CONFIRMED = "confirmed"
    """Raised for as many evaluations as the rule wants."""
    CLEARED = "cleared"
    """Calm for as long as the rule wants."""


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A signal with what it rests on: the window, the rate in it, and what that was held against.

    `rate` has the one-sided limits that decided. `usual` is a baseline, `said` what the summary
    adds to them in words.
    """

    signal: Signal
    view: WindowView
    rate: Rate | None = None
    bound: float | None = None
    usual: float | None = None
    said: str = ""


def deviations(alpha: float) -> float:
    """Return how many standard deviations a normal value exceeds with the chance `alpha`."""
    return -NormalDist().inv_cdf(alpha)  # 1 - alpha would be 1 for the smallest


def believed(view: WindowView, rate: Rate | None, *, min_n: int) -> bool:
    """Say whether there are enough rated answers, and few enough missing ones, to go by."""
    return rate is not None and rate.n >= min_n and (view.coverage or 0.0) >= BELIEVED_FROM
