"""The rule `blind`: a scorer sees too little to be believed."""

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.rules.fields import RULE, Name, Share
from streams.watch.rules.result import RuleResult, Signal
from streams.watch.windows import WindowView

Cause = Literal["judge", "score"]
"""Why a scorer is blind: its judge fails, or events do not come."""


class BlindRule(BaseModel):
    """Fires while a scorer sees too little to be believed.

    `judged_below` bounds scored / (scored + errors), `seen_below` bounds events / rows sampled. It
    fires too while the score half does not speak of some source partition.
    """

    model_config = RULE

    name: Name
    kind: Literal["blind"]
    judged_below: Share = 0.8
    seen_below: Share = 0.8
    window: Duration = timedelta(minutes=15)
    severity: Severity = "ticket"

    def limit(self, cause: Cause) -> float:
        """Return the coverage that is asked for."""
        return self.judged_below if cause == "judge" else self.seen_below


def blind(rule: BlindRule, view: WindowView, *, cause: Cause, stopped: bool) -> RuleResult:
    """Hold a window's coverage against its bound. `stopped`: marks of some partition stopped."""
    limit = rule.limit(cause)
    covered = coverage(view, cause)
    if cause == "score" and stopped:
        return RuleResult(Signal.RAISED, view, bound=limit)
    if covered is None:
        return RuleResult(Signal.UNKNOWN, view, bound=limit)
    return RuleResult(Signal.RAISED if covered < limit else Signal.CALM, view, bound=limit)


def coverage(view: WindowView, cause: Cause) -> float | None:
    """Return the coverage that a cause of blindness shows in, None where nothing is known."""
    return view.judged if cause == "judge" else view.seen
