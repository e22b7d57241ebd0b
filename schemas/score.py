"""What one scorer says of one trace: a verdict, or the reason why there is none."""

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from schemas.wire import Instant, WireModel

Breakdown = dict[str, JsonValue]
"""The evidence behind an outcome, by scorer; per-claim evidence stands under `claims`."""


class Scored(WireModel):
    """The scorer reached a verdict. Only this outcome has numbers.

    `score` is on the scorer's own scale, `normalized` in [0, 1], `support` that of the weakest
    claim in [0, 1] (null where the judge gives none). `bad` is set from `pass_at` alone.
    """

    status: Literal["scored"] = "scored"
    score: float
    normalized: float = Field(ge=0, le=1)
    bad: bool = False
    label: str
    support: float | None = Field(default=None, ge=0, le=1)
    counts: dict[str, int] = Field(default_factory=dict)
    flags: tuple[str, ...] = ()
    reason: str | None = None
    breakdown: Breakdown = Field(default_factory=dict)


class NotScorable(WireModel):
    """There was nothing for this scorer to judge, or nothing could be decided."""

    status: Literal["not_scorable"] = "not_scorable"
    reason: str
    breakdown: Breakdown | None = None


class InvalidInput(WireModel):
    """The trace breaks the scorer's input rules."""

    status: Literal["invalid_input"] = "invalid_input"
    reason: str


class ScoringError(WireModel):
    """Why there is no verdict. `cause` is the kind of the last attempt's failure."""

    kind: str
    cause: str | None = None
    violations: tuple[str, ...] | None = None


class Failed(WireModel):
    """The verdict could not be had. It says nothing about the answer."""

    status: Literal["error"] = "error"
    error: ScoringError


Outcome = Annotated[Scored | NotScorable | InvalidInput | Failed, Field(discriminator="status")]


class TraceRef(WireModel):
    """The scored trace, without its texts."""

    trace_id: str
    span_id: str | None = None
    service: str
    environment: str
    session_id: str | None = None
    answered_at: Instant


class ScorerRef(WireModel):
    """Which scorer spoke."""

    name: str
    version: str


class JudgeRef(WireModel):
    """Which judge spoke: the model that was asked for, and the one that the replies named."""

    name: str
    version: str
    model: str | None = None
    resolved: str | None = None


class SamplingRef(WireModel):
    """The chance that this row had, and how it was drawn."""

    probability: float = Field(gt=0, le=1)
    stratum: str
    by: Literal["body", "key"]


class Usage(WireModel):
    """What a verdict cost: calls (questions), attempts (requests), tokens, dollars, seconds."""

    calls: int = Field(default=0, ge=0)
    attempts: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    seconds: float = Field(default=0.0, ge=0)


class Origin(WireModel):
    """Where the row lies on the traces topic."""

    topic: str
    partition: int
    offset: int
    timestamp: Instant


class ScoreEvent(WireModel):
    """One scorer's outcome for one trace, as it lies on the scores topic.

    `redacted` is in how many places of the row values were hidden, by their kind (null: nothing was
    looked for). Ids, assistant and origin are never hidden: the row is found again by them.
    """

    schema_: Literal["streamgauge.score/1"] = Field("streamgauge.score/1", alias="schema")
    kind: Literal["score"] = "score"
    event_id: str
    trace: TraceRef
    scorer: ScorerRef
    judge: JudgeRef
    config_hash: str
    series: str
    outcome: Outcome
    sampling: SamplingRef
    usage: Usage = Usage()
    mode: Literal["live", "replay"] = "live"
    run: str | None = None
    reused: bool = False
    scored_at: Instant
    attributes: dict[str, str] = Field(default_factory=dict)
    traceparent: str | None = None
    redacted: dict[str, int] | None = None
    origin: Origin

    @property
    def assistant(self) -> str:
        """The key of the event: `service/environment`."""
        return f"{self.trace.service}/{self.trace.environment}"
