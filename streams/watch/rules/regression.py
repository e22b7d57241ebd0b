"""The rule `regression`: the share of bad answers is surely above what is usual, and by much.

Usual is the same hour of the week, the median of the last four weeks, where three of them are sound
and had enough answers; else the last 24 hours in which no alert fired.
"""

from collections.abc import Sequence
from datetime import timedelta
from statistics import median
from typing import Literal

from pydantic import BaseModel, Field

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.estimates.changes import change
from streams.watch.estimates.rates import Rate
from streams.watch.history import History, Span
from streams.watch.panes.pane import DAY, HOUR, Family, milliseconds
from streams.watch.rules.fields import RULE, Attribute, Count, Evaluations, Name, Share
from streams.watch.rules.result import RuleResult, Signal, believed, deviations
from streams.watch.windows import WindowView

WEEKS = 4
ENOUGH_WEEKS = 3


class RegressionRule(BaseModel):
    """Fires while the rate is surely above the usual one, `ratio` times it and by `points`.

    `alpha` is the chance, at one evaluation, of being wrong about a rate that has not moved. Both
    windows need `min_n` rated answers. It clears when half of that rise is gone.
    """

    model_config = RULE

    name: Name
    kind: Literal["regression"]
    scorer: str
    ratio: float = Field(default=1.5, ge=1, allow_inf_nan=False)
    points: Share = 0.03
    window: Duration = timedelta(hours=1)
    min_n: Count = 30
    for_: Evaluations = 2
    alpha: Share = 0.00001
    by: Attribute | None = None
    severity: Severity = "ticket"


def regression(rule: RegressionRule, history: History, *, alpha: float) -> RuleResult:
    """Hold the window's rate against the usual one, by the interval of their difference."""
    seen = history.last(milliseconds(rule.window))
    z = deviations(alpha)
    rate = seen.rate(z=z)
    if rate is None or not believed(seen, rate, min_n=rule.min_n):
        return RuleResult(Signal.UNKNOWN, seen, rate)
    usual = usual_rate(history, seen, min_n=rule.min_n, z=z)
    if usual is None and history.segment:
        usual = usual_rate(history.whole, seen, min_n=rule.min_n, z=z)
    if usual is None:
        return RuleResult(Signal.UNKNOWN, seen, rate, said="with nothing to compare it with")
    moved = change(rate, usual)
    least = max(rule.points, (rule.ratio - 1) * usual.value)
    signal = Signal.CALM if moved.value < least / 2 else Signal.UNSURE
    if moved.lower > 0 and moved.value >= least:
        signal = Signal.RAISED
    said = f"usually {100 * usual.value:.1f} %"
    return RuleResult(signal, seen, rate, usual.value + least, usual.value, said)


def usual_rate(history: History, seen: WindowView, *, min_n: int, z: float) -> Rate | None:
    """Return what was usual before a window, None where too little is known of that."""
    family = seen.family._replace(segment=history.segment)
    if weeks := _weeks(history, family, seen, min_n=min_n, z=z):
        return weeks
    day = history.rate(family, history.sound(end=seen.start, length=DAY), z=z)
    return day if day and day.n >= min_n else None


def _weeks(
    history: History, family: Family, seen: WindowView, *, min_n: int, z: float
) -> Rate | None:
    """Return the median rate, with median limits: no surer than one week's."""
    spans = [span for span in _same_hours(seen) if not history.spoilt(span)]
    found = [history.rate(family, [span], z=z) for span in spans]
    rates = [rate for rate in found if rate and rate.n >= min_n]
    return _median(rates) if len(rates) >= ENOUGH_WEEKS else None


def _same_hours(seen: WindowView) -> list[Span]:
    """Return the whole hours, in each of the last weeks, that are nearest to a window's."""
    start = (seen.start + HOUR // 2) // HOUR * HOUR
    length = -(-(seen.end - seen.start) // HOUR) * HOUR
    weeks = (start - week * 7 * DAY for week in range(1, WEEKS + 1))
    return [(begin, begin + length) for begin in weeks]


def _median(rates: Sequence[Rate]) -> Rate:
    return Rate(
        median(rate.value for rate in rates),
        median(rate.lower for rate in rates),
        median(rate.upper for rate in rates),
        sum(rate.n for rate in rates),
        sum(rate.n_eff for rate in rates),
    )
