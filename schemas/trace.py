"""One answer of a production assistant, with what it was given."""

from functools import cached_property
from typing import Literal

from pydantic import Field, JsonValue

from schemas.identity import content_hash
from schemas.wire import Instant, WireModel


class Passage(WireModel):
    """A retrieved piece of text, and the key that an answer cites it by."""

    key: str
    text: str
    score: float | None = None
    source: str | None = None


class Turn(WireModel):
    """One message of the conversation before the question."""

    role: str
    text: str


class RagTrace(WireModel):
    """A row. Who answered and when is required; everything that a scorer reads may be absent.

    `contexts` None: not recorded; empty: nothing was retrieved. `unusable` names content fields
    that were present and could not be read: their scorers say `invalid_input`.
    """

    trace_id: str = Field(min_length=1)
    span_id: str | None = None
    root_span_id: str | None = None
    response_id: str | None = None
    service: str = Field(min_length=1)
    environment: str = Field(default="production", min_length=1)
    session_id: str | None = None
    answered_at: Instant
    answered_at_from: Literal["row", "record", "clamped"] = "row"

    question: str | None = None
    history: tuple[Turn, ...] | None = None
    contexts: tuple[Passage, ...] | None = None
    answer: str | None = None
    citations: dict[str, str | None] | None = None
    tool_results: tuple[JsonValue, ...] | None = None
    reference: str | None = None

    feedback: str | None = None
    attributes: dict[str, str] = Field(default_factory=dict, max_length=16)
    upstream_probability: float | None = Field(default=None, gt=0, le=1)
    dialect: str | None = None
    missing: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()

    @property
    def assistant(self) -> str:
        """The unit that is watched: `service/environment`."""
        return f"{self.service}/{self.environment}"

    @cached_property
    def content_hash(self) -> str:
        """The hash of the seven content fields; of a passage only its key and text count."""
        return content_hash(
            {
                "answer": self.answer,
                "citations": self.citations,
                "contexts": None
                if self.contexts is None
                else [{"key": p.key, "text": p.text} for p in self.contexts],
                "history": [{"role": t.role, "text": t.text} for t in self.history or ()],
                "question": self.question,
                "reference": self.reference,
                "tool_results": None if self.tool_results is None else list(self.tool_results),
            }
        )
