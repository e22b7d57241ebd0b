"""The rule `threshold`: the share of bad answers is surely above a bound."""

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.history import History
from streams.watch.panes.pane import milliseconds
from streams.watch.rules.fields import RULE, Attribute, Count, Evaluations, Name, Share
from streams.watch.rules.result import RuleResult, Signal, believed, deviations


class ThresholdRule(BaseModel):
    """Fires while the share of bad answers is surely above `above`, and clears surely below it.

    `alpha` is the chance, at one evaluation, of being wrong about that at the bound. It needs
    `min_n` rated answers in the window. `by`: each value of a segment is watched on its own.
    """

    model_config = RULE

    name: Name
    kind: Literal["threshold"]
    scorer: str
    above: Share
    window: Duration = timedelta(hours=1)
    min_n: Count = 30
    for_: Evaluations = 2
    alpha: Share = 0.05
    by: Attribute | None = None
    severity: Severity = "page"


def threshold(rule: ThresholdRule, history: History, *, alpha: float) -> RuleResult:
    """Hold the window's rate against the bound: surely above, surely below, or neither."""
    seen = history.last(milliseconds(rule.window))
    rate = seen.rate(z=deviations(alpha))
    if rate is None or not believed(seen, rate, min_n=rule.min_n):
        return RuleResult(Signal.UNKNOWN, seen, rate, rule.above)
    if rate.lower > rule.above:
        return RuleResult(Signal.RAISED, seen, rate, rule.above)
    signal = Signal.CALM if rate.upper < rule.above else Signal.UNSURE
    return RuleResult(signal, seen, rate, rule.above)
