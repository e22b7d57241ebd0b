"""What became of a block of source offsets, so that coverage can be computed."""

from typing import Literal

from pydantic import Field

from schemas.wire import Instant, WireModel

UNKNOWN_ASSISTANT = "unknown/unknown"
"""Where rejected rows go whose assistant cannot be read."""


class Block(WireModel):
    """The offsets `from` (included) to `to` (excluded) of one source partition, in one epoch."""

    topic: str
    partition: int = Field(ge=0)
    from_: int = Field(alias="from", ge=0)
    to: int = Field(ge=0)
    epoch: int = Field(ge=0)


class ScorerTally(WireModel):
    """How many rows a scorer drew, and with what chance."""

    probability: float = Field(ge=0, le=1)
    sampled: int = Field(ge=0)


class StratumTally(WireModel):
    """The rows of one stratum: seen, shed, drawn by scorer.

    A shed row would have been drawn by some scorer's own settings, and was by none, for a budget or
    a backlog had lowered the probabilities.
    """

    seen: int = Field(default=0, ge=0)
    shed: int = Field(default=0, ge=0)
    scorers: dict[str, ScorerTally] = Field(default_factory=dict)


class Tally(WireModel):
    """One assistant's rows of one minute in one block. A rejected row is in no stratum."""

    schema_: Literal["streamgauge.tally/1"] = Field("streamgauge.tally/1", alias="schema")
    kind: Literal["tally"] = "tally"
    source: Block
    assistant: str
    minute: Instant
    run: str | None = None
    strata: dict[str, StratumTally] = Field(default_factory=dict)
    rejected: int = Field(default=0, ge=0)
    at: Instant
