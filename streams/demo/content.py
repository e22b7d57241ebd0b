"""What the demo's two assistants know, and what they were asked and answered."""

from datetime import timedelta
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, Field

from schemas.quantities import Duration

Fault = Literal["number", "date", "name", "invented", "citation", "fabricated"]
"""How an answer is wrong. `citation` and `fabricated` are true sentences that cite a passage which
does not say so, or one that was never retrieved: only citation accuracy can see them."""

FILES = ("bikes.yaml", "museum.yaml")


class Document(BaseModel, frozen=True, extra="forbid"):
    """A passage of a knowledge base, and the page that it stands on."""

    source: str
    text: str


class WrongAnswer(BaseModel, frozen=True, extra="forbid"):
    """What a bad release says instead, and what is wrong with it."""

    fault: Fault
    answer: str


class Entry(BaseModel, frozen=True, extra="forbid"):
    """A question, the passages retrieved for it in order, and the answer that they support."""

    question: str
    passages: tuple[str, ...]
    answer: str
    wrong: WrongAnswer | None = None


class Release(BaseModel, frozen=True, extra="forbid"):
    """A prompt that goes live so long after the beginning, and its share of wrong answers."""

    prompt_version: str
    after: Duration
    wrong_share: float = Field(ge=0, le=1)


class Assistant(BaseModel, frozen=True, extra="forbid"):
    """An assistant of an invented organisation. Its releases are in order, the first at 0."""

    service: str
    environment: str = "production"
    locale: str
    index_version: str
    answers_per_hour: float = Field(gt=0)
    releases: tuple[Release, ...]
    knowledge: dict[str, Document]
    answers: tuple[Entry, ...]

    def release(self, since_start: timedelta) -> Release:
        """Return the release that is live at this point of the play."""
        return [release for release in self.releases if release.after <= since_start][-1]


def assistants() -> tuple[Assistant, ...]:
    """Read both assistants from the files beside this module."""
    folder = resources.files(__package__)
    texts = (folder.joinpath(name).read_text(encoding="utf-8") for name in FILES)
    return tuple(Assistant.model_validate(yaml.safe_load(text)) for text in texts)
