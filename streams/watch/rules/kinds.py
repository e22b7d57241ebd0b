"""What may be asked of a window, and what a window says to it: raised, calm, or neither.

A rule names a bound; it fires on the far side of an interval and clears on the near one, so that
noise around the bound does neither.
"""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.alerts.alarm import Patience, Signal
from streams.watch.estimates.rates import Rate
from streams.watch.panes.pane import MINUTE
from streams.watch.windows import WindowView

ONE_SIDED = 1.645
"""Standard deviations below which 95 % of a normal distribution lies."""

BELIEVED_FROM = 0.8
"""The coverage below which a rate is not believed: missing verdicts are no random sample."""

HOLD = 15 * MINUTE
"""How long a rate must have been surely below its bound before its alert is resolved."""

Cause = Literal["judge", "score"]
"""Why a scorer is blind: its judge fails, or events do not come."""

Share = Annotated[float, Field(gt=0, lt=1)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class ThresholdRule(_Settings):
    """Fires while the share of bad answers is surely above a bound.

    It needs `min_n` rated answers in the window, and `for` evaluations in a row (one a minute).
    """

    name: str = Field(min_length=1)
    kind: Literal["threshold"]
    scorer: str
    above: Share
    window: Duration = timedelta(hours=1)
    min_n: int = Field(default=30, ge=1)
    for_: int = Field(default=2, ge=1, alias="for")
    severity: Severity = "page"


class BlindRule(_Settings):
    """Fires while a scorer sees too little to be believed.

    `judged_below` bounds scored / (scored + errors), `seen_below` bounds events / rows sampled. It
    fires too while the score half does not speak of some source partition.
    """

    name: str = Field(min_length=1)
    kind: Literal["blind"]
    judged_below: Share = 0.8
    seen_below: Share = 0.8
    window: Duration = timedelta(minutes=15)
    severity: Severity = "ticket"


class TrafficRule(_Settings):
    """Fires once an assistant's rows have stopped for `silent_for`."""

    name: str = Field(min_length=1)
    kind: Literal["traffic"]
    silent_for: Duration = timedelta(minutes=15)
    severity: Severity = "ticket"


Rule = Annotated[ThresholdRule | BlindRule | TrafficRule, Field(discriminator="kind")]


def patience(rule: Rule) -> Patience:
    """Return how long a rule waits before it fires and before it clears."""
    if isinstance(rule, ThresholdRule):
        return Patience(rule.for_, HOLD)
    return Patience(2 if isinstance(rule, BlindRule) else 1)


def milliseconds(length: timedelta) -> int:
    """Return a length of time as the watch half counts it."""
    return length // timedelta(milliseconds=1)


def bounds(view: WindowView) -> Rate | None:
    """Return the rate with the limits that a threshold is held against."""
    return view.rate(z=ONE_SIDED)


def threshold(rule: ThresholdRule, view: WindowView) -> Signal:
    """Hold a window's rate against its bound: surely above, surely below, or neither."""
    rate = bounds(view)
    if rate is None or rate.n < rule.min_n or (view.coverage or 0.0) < BELIEVED_FROM:
        return Signal.UNKNOWN
    if rate.lower > rule.above:
        return Signal.RAISED
    return Signal.CALM if rate.upper < rule.above else Signal.UNSURE


def blind(rule: BlindRule, view: WindowView, *, cause: Cause, stopped: bool) -> Signal:
    """Hold a window's coverage against its bound. `stopped`: marks of some partition stopped."""
    if cause == "score" and stopped:
        return Signal.RAISED
    covered = view.judged if cause == "judge" else view.seen
    if covered is None:
        return Signal.UNKNOWN
    limit = rule.judged_below if cause == "judge" else rule.seen_below
    return Signal.RAISED if covered < limit else Signal.CALM


def traffic(*, rows: bool, stopped: bool) -> Signal:
    """Say whether rows have stopped: there were none in all of `silent_for`.

    While nobody speaks of some partition, rows may be there unseen: nothing is said.
    """
    if rows:
        return Signal.CALM
    return Signal.UNSURE if stopped else Signal.RAISED
