"""The rule `cusum`: small bits of evidence for a worse rate, added up until they are too many.

A bad answer adds as much as some good ones take away, and the sum never falls below zero (Page
1954, Continuous inspection schemes). How high it may get follows from how often a false alarm is
bearable and how many answers come: the expected run to each limit is computed exactly from the
Markov chain that the sum is (Brook and Evans 1972, An approach to the probability distribution of
cusum run length), for the Bernoulli cusum of Reynolds and Stoumbos (1999).
"""

from datetime import timedelta
from math import isclose, log
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, model_validator

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.estimates.changes import weighed
from streams.watch.estimates.rates import Rate
from streams.watch.estimates.runs import limit_for
from streams.watch.history import History
from streams.watch.panes.pane import DAY, Family, milliseconds
from streams.watch.rules.fields import RULE, Count, Evaluations, Name
from streams.watch.rules.result import RuleResult, Signal, believed, deviations

ALPHA = 0.05
"""Of the limits that are shown: the sum decides, and they do not."""

LEAST_RISE = 1.5
"""Smaller rises need so many answers that a longer window finds them as well."""


class CusumRule(BaseModel):
    """Fires when answers look more like a bad rate of `to` than of `from`.

    At a rate of `from` it is wrong once in `false_alarm_every` at most, at the volume of the last
    day. It adds up over `window`, and needs `min_n` rated answers there.
    """

    model_config = RULE

    name: Name
    kind: Literal["cusum"]
    scorer: str
    from_: Annotated[float, Field(ge=0.005, lt=1, alias="from")]
    to: Annotated[float, Field(gt=0, lt=1)]
    false_alarm_every: Duration = timedelta(days=30)
    window: Duration = timedelta(hours=6)
    min_n: Count = 30
    for_: Evaluations = 1
    severity: Severity = "ticket"

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.to < LEAST_RISE * self.from_ and not isclose(self.to, LEAST_RISE * self.from_):
            raise ValueError(f"to has to be {LEAST_RISE} times from, or more")
        if not self.from_ * (self.gain + 1) < 1 < self.to * (self.gain + 1):
            raise ValueError(
                "so high a rate cannot be seen to rise: let from be lower, or to higher"
            )
        if self.false_alarm_every < timedelta(days=1):
            raise ValueError("false_alarm_every has to be a day or more")
        return self

    @property
    def gain(self) -> int:
        """How many good answers take away what a bad one adds: evidence is a log of likelihoods."""
        good, bad = log((1 - self.from_) / (1 - self.to)), log(self.to / self.from_)
        return max(1, round(bad / good))


def cusum(rule: CusumRule, history: History) -> RuleResult:
    """Hold the sum against its limit."""
    seen = history.last(milliseconds(rule.window))
    rate = seen.rate(z=deviations(ALPHA))
    if rate is None or not believed(seen, rate, min_n=rule.min_n):
        return RuleResult(Signal.UNKNOWN, seen, rate, rule.to, rule.from_)
    limit = limit_for(rule.gain, rule.from_, _rows_between(rule, history, seen.family))
    total = _total(rule, history, seen.family, rate, limit)
    signal = Signal.CALM if total < limit / 2 else Signal.UNSURE
    if total >= limit:
        signal = Signal.RAISED
    shown = f"{100 * rule.to:.3g} % instead of {100 * rule.from_:.3g} %"
    said = f"evidence {total:.0f} of {limit} for {shown}"
    return RuleResult(signal, seen, rate, rule.to, rule.from_, said)


def _rows_between(rule: CusumRule, history: History, family: Family) -> float:
    """Return how many answers come between two false alarms that are bearable."""
    start = max(history.at - DAY, history.since(family))
    rate = history.rate(family, [(start, history.at)], z=deviations(ALPHA))
    rows = rate.n_eff if rate else 0.0
    return rows * milliseconds(rule.false_alarm_every) / max(1, history.at - start)


def _total(rule: CusumRule, history: History, family: Family, rate: Rate, limit: int) -> float:
    """Return the sum at the end of the window. Rows weigh so that all are worth `n_eff`.

    It is capped at its limit, so that it comes down in time once answers are better.
    """
    panes = [weighed(p.strata) for p in history.minutes(family, milliseconds(rule.window))]
    scale = rate.n_eff / sum(pane.rated for pane in panes)
    total = 0.0
    for rated, bad in panes:
        total = min(limit, max(0.0, total + scale * (rule.gain * bad - (rated - bad))))
    return total
