"""The rule `burn_rate`: bad answers use up the budget of an objective too fast.

An objective (SLO) of 95 % good answers leaves 5 % to be bad; a burn of 5 means five times that. A
pair of windows has to agree: the long one that it matters, the short one that it goes on. After the
Site Reliability Workbook, chapter 5, with bounds that a rate of bad answers can reach.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import BaseModel, Field, model_validator

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.estimates.rates import Rate
from streams.watch.history import History
from streams.watch.panes.pane import milliseconds
from streams.watch.rules.fields import RULE, Count, Evaluations, Name, Share
from streams.watch.rules.result import RuleResult, Signal, believed, deviations
from streams.watch.windows import WindowView

REACHABLE = 0.8
"""The share of bad answers that no bound may ask for: a rule that cannot fire is no rule."""

LEAST_OF_SHORT = 20
"""Below so many rated answers the short window says nothing, and the long one decides alone."""

ALPHA = 0.05


class BurnPair(BaseModel):
    """A long and a short window, and the burn that both must exceed."""

    model_config = RULE

    long: Duration
    short: Duration
    burn: Annotated[float, Field(gt=0)]

    @model_validator(mode="after")
    def _one_is_longer(self) -> Self:
        if self.short >= self.long:
            raise ValueError("short has to be shorter than long")
        return self


PAGE = (
    BurnPair(long=timedelta(hours=1), short=timedelta(minutes=5), burn=5),
    BurnPair(long=timedelta(hours=6), short=timedelta(minutes=30), burn=3),
)
"""What is worth waking someone for, at an objective of 95 %: 25 % and 15 % bad."""


class BurnRateRule(BaseModel):
    """Fires while some pair burns too fast: surely so in its long window, and still in its short.

    The long window needs `min_n` rated answers.
    """

    model_config = RULE

    name: Name
    kind: Literal["burn_rate"]
    scorer: str
    slo: Share = 0.95
    pairs: Annotated[tuple[BurnPair, ...], Field(min_length=1)] = PAGE
    min_n: Count = 50
    for_: Evaluations = 2
    severity: Severity = "page"

    @property
    def budget(self) -> float:
        """The share of answers that may be bad."""
        return 1 - self.slo


_SPEAKS_FIRST = (Signal.RAISED, Signal.UNSURE, Signal.CALM, Signal.UNKNOWN)


class _Leg(NamedTuple):
    signal: Signal
    long: WindowView
    rate: Rate | None
    bound: float


def unreachable(rule: BurnRateRule) -> Iterator[int]:
    """Yield the places of pairs that would need 80 % of all answers to be bad, or more."""
    for place, pair in enumerate(rule.pairs):
        if pair.burn * rule.budget >= REACHABLE:
            yield place


def burn_rate(rule: BurnRateRule, history: History) -> RuleResult:
    """Hold each pair's rates against its bound. The worst speaks, of several the first."""
    legs = [_leg(rule, pair, history) for pair in rule.pairs]
    leg = min(legs, key=lambda one: _SPEAKS_FIRST.index(one.signal))
    said = ""
    if leg.rate is not None:
        times = leg.rate.value / rule.budget
        said = f"{times:.1f} times what {100 * rule.slo:.3g} % good answers allow"
    return RuleResult(leg.signal, leg.long, leg.rate, leg.bound, said=said)


def _leg(rule: BurnRateRule, pair: BurnPair, history: History) -> _Leg:
    bound = pair.burn * rule.budget
    long = history.last(milliseconds(pair.long))
    rate = long.rate(z=deviations(ALPHA))
    if rate is None or not believed(long, rate, min_n=rule.min_n):
        return _Leg(Signal.UNKNOWN, long, rate, bound)
    short = history.last(milliseconds(pair.short)).rate()
    goes_on = short is None or short.n < LEAST_OF_SHORT or short.value > bound
    if rate.lower > bound and goes_on:
        return _Leg(Signal.RAISED, long, rate, bound)
    over = rate.upper < bound or not goes_on
    return _Leg(Signal.CALM if over else Signal.UNSURE, long, rate, bound)
