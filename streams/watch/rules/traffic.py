"""The rule `traffic`: an assistant's rows have stopped."""

from datetime import timedelta
from typing import Literal

from pydantic import BaseModel

from schemas.alert import Severity
from schemas.quantities import Duration
from streams.watch.rules.fields import RULE, Name
from streams.watch.rules.result import Signal


class TrafficRule(BaseModel):
    """Fires once an assistant's rows have stopped for `silent_for`."""

    model_config = RULE

    name: Name
    kind: Literal["traffic"]
    silent_for: Duration = timedelta(minutes=15)
    severity: Severity = "ticket"


def traffic(*, rows: bool, stopped: bool) -> Signal:
    """Say whether rows have stopped: there were none in all of `silent_for`.

    While nobody speaks of some partition, rows may be there unseen: nothing is said.
    """
    if rows:
        return Signal.CALM
    return Signal.UNSURE if stopped else Signal.RAISED
