"""What may be asked of a window, and what a window says to it: raised, calm, or neither.

A rule names a bound; it fires on the far side of an interval and clears on the near one, so that
noise around the bound does neither.
"""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.alert import Severity
from schemas.quantities import Duration

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
