"""The settings of factual consistency, and of the assistants that it asks again."""

from datetime import timedelta
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from scorers.setting_types import (
    SECTION,
    HttpUrl,
    PositiveDuration,
    Probability,
    Real,
    Retries,
    Share,
    Text,
    Whole,
)


class FactualConsistencySettings(BaseModel):
    """Does the assistant say the same when it is asked again in other words?"""

    model_config = SECTION

    probability: Probability | None = None
    """Of this scorer, nested in the row's; null: the row's."""
    responses_per_query: Annotated[int, Field(ge=2, le=8)] = 3
    """Answers compared, the recorded one among them: 2 to 8."""
    sut_temperature: Annotated[Real, Field(ge=0, le=2)] = 0.7
    """Asked of the assistant: 0 to 2."""
    n_judge_retries: Retries = 2
    """Of one comparison: 0 to 5."""
    n_sut_retries: Retries = 2
    """Of one call to the assistant: 0 to 5."""
    concurrency_limit: Annotated[int, Field(ge=1, le=64)] = 5
    """Attempts at one time, to assistant and judge together: 1 to 64."""
    timeout: PositiveDuration = timedelta(seconds=60)
    """Of one call."""
    metric_name: Text | None = None
    """A name for its figures; null: the scorer's."""
    min: Real = 0
    """The least score."""
    max: Real = 1
    """The greatest score."""
    inverted: bool = False
    """A low score is the good one."""
    weight: Annotated[Real, Field(gt=0)] = 1
    """In weighted averages only."""
    pass_at: Share = 0.6
    """Bad below this normalized score."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.min >= self.max:
            raise ValueError("min must be less than max")
        return self


class AssistantSettings(BaseModel):
    """How an assistant can be asked again (factual consistency alone does)."""

    model_config = SECTION

    url: HttpUrl
    """Where questions are posted."""
    body: dict[str, object]
    """What is posted, with places for question and history."""
    answer: Text
    """The dotted path of the answer in the reply."""
    per_minute: Whole = 10
    """Calls a minute at most."""
