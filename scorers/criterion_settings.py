"""The settings of a question of your own."""

from typing import Annotated

from pydantic import BaseModel, Field

from scorers.criteria import Worth
from scorers.setting_types import SECTION, Probability, Text


class CriterionSettings(BaseModel):
    """A question of your own about each answer, with a fixed set of answers."""

    model_config = SECTION

    name: Text
    """What its scores are filed under."""
    question: Text
    """As the judge is asked it. A model is needed: the rules judge answers no such question."""
    answers: Annotated[dict[Text, Worth], Field(min_length=2)]
    """What may be answered, and which of it is good or bad: {"yes": good, "no": bad}."""
    probability: Probability | None = None
    """Nested in the row's; null: the row's."""
