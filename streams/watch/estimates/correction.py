"""The rate that a judge would have found had it made no mistakes, from how often it makes them."""

from collections.abc import Mapping
from dataclasses import dataclass

from streams.watch.estimates.rates import Rate
from streams.watch.estimates.roots import Term, limits_of_root


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How a judge's verdicts compare with people's: two shares with their 95 % limits.

    `sensitivity`: of the answers that people call bad, those that the judge does. `specificity`: of
    those that they call good, those that the judge does.
    """

    sensitivity: Rate
    specificity: Rate

    @property
    def tells(self) -> bool:
        """Whether the judge calls a bad answer bad more often than it does a good one."""
        return self.sensitivity.value + self.specificity.value > 1


Accuracies = Mapping[str, Accuracy]
"""How accurate the judge of each series is, as far as people's labels say."""


def corrected(rate: Rate, accuracy: Accuracy) -> Rate | None:
    """Return the share of answers that are really bad, None where the judge cannot tell.

    Rogan and Gladen (1978): (rate + specificity - 1) / (sensitivity + specificity - 1), in [0, 1].
    Limits are as sure as those handed in. Sensitivity and specificity count as independent; where
    both come from labels that were picked by verdict the limits err on the wide side.
    """
    if not accuracy.tells:
        return None
    sensitivity, specificity = accuracy.sensitivity, accuracy.specificity
    false_alarms = 1 - specificity.value
    value = (rate.value - false_alarms) / (sensitivity.value - false_alarms)
    value = min(1.0, max(0.0, value))

    def balance(bad: float) -> tuple[float, list[Term]]:
        found = bad * sensitivity.value + (1 - bad) * false_alarms
        return rate.value - found, [(1.0, rate), (-bad, sensitivity), (1 - bad, specificity)]

    lower, upper = limits_of_root(balance, low=0.0, high=1.0)
    return Rate(value, min(value, lower), max(value, upper), rate.n, rate.n_eff)
