"""A row of a labels file: an answer with its evidence, and what a person says of it."""

import base64
import binascii
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from schemas.score import JudgeRef, Origin, ScorerRef
from schemas.trace import Passage, Turn
from schemas.wire import WireModel

Grade = Annotated[int, Field(ge=1, le=5, strict=True)]
"""1 is the worst answer, 5 the best."""

Label = Literal["good", "bad", "unsure"] | Grade


class PickStratum(WireModel):
    """Judged answers of one verdict, of which each was picked with one chance.

    `answers` is how many answers of the topic they stand for (the sum of 1/sampled), `squares` the
    sum of 1/sampled².
    """

    name: str
    picked: float = Field(gt=0, le=1)
    answers: float = Field(ge=1)
    squares: float = Field(ge=1)


class Prediction(WireModel):
    """What the judge said of an answer, and the chance that a person sees it.

    `score` in [0, 1] is null where the judge could decide nothing. `sampled` is the chance that the
    answer was judged.
    """

    scorer: ScorerRef
    judge: JudgeRef
    series: str
    verdict: Literal["bad", "good", "undecided"]
    score: float | None = Field(default=None, ge=0, le=1)
    pass_at: float | None = None
    sampled: float = Field(gt=0, le=1)
    stratum: PickStratum
    origin: Origin

    @property
    def probability(self) -> float:
        """The chance of an answer, of all that were given, to be in the file."""
        return self.sampled * self.stratum.picked


class LabelRow(WireModel):
    """One answer to be labelled. `label` is null until somebody has read it.

    `sealed` holds the verdict, so that nobody reads it by accident: see `seal`. `verdict` is the
    same in the open, where it was asked for.
    """

    schema_: Literal["streamgauge.label/1"] = Field("streamgauge.label/1", alias="schema")
    label: Label | None = None
    note: str | None = None
    scorer: str
    asks: str
    question: str | None = None
    history: tuple[Turn, ...] | None = None
    evidence: tuple[Passage, ...] | None = None
    tool_results: tuple[JsonValue, ...] | None = None
    citations: dict[str, str | None] | None = None
    reference: str | None = None
    answer: str | None = None
    trace_id: str
    event_id: str
    verdict: Prediction | None = None
    sealed: str


def seal(verdict: Prediction) -> str:
    """Return a verdict as base64: hidden from a glance, not from anyone who wants to know."""
    return base64.b64encode(verdict.to_json()).decode()


def unsealed(text: str) -> Prediction:
    """Return what was sealed. Raises ValueError where the text was changed."""
    try:
        return Prediction.model_validate_json(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise ValueError("was changed: copy the line anew from the file that was picked") from None
