"""How well judges agree with people: the file that `calibrate` writes and the watch half reads."""

from typing import Literal

from pydantic import Field

from schemas.score import JudgeRef, ScorerRef
from schemas.wire import Instant, WireModel


class Share(WireModel):
    """A share in [0, 1] with its 95 % limits: `n` answers, worth `n_eff` equal ones."""

    value: float = Field(ge=0, le=1)
    lower: float = Field(ge=0, le=1)
    upper: float = Field(ge=0, le=1)
    n: int = Field(ge=0)
    n_eff: float = Field(ge=0)


class Calibrated(WireModel):
    """One judge of one scorer, in one series. `pass_at` is where its verdicts turned bad.

    `sensitivity`: of what people call bad, the share that the judge does; `specificity`: of what
    they call good, the share that it does.
    """

    scorer: ScorerRef
    judge: JudgeRef
    series: str
    pass_at: float | None = None
    sensitivity: Share
    specificity: Share


class LabelsRef(WireModel):
    """The labels that were compared: the BLAKE2b hash (16 bytes) of their file, and its rows."""

    hash: str
    rows: int


class Calibration(WireModel):
    """The whole file."""

    schema_: Literal["streamgauge.calibration/1"] = Field(
        "streamgauge.calibration/1", alias="schema"
    )
    made_at: Instant
    labels: LabelsRef
    judges: tuple[Calibrated, ...]
