"""The roles in scoring: a scorer, whom it asks, and what can go wrong between them.

JudgeUnavailableError     no usable answer, retries included: the row's outcome is `error`
└── InvalidReplyError     a reply came, but no answer to the question: asked again with why
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import JsonValue

from schemas.score import Outcome, Scored, ScoringError, Usage
from schemas.trace import RagTrace, Turn
from scorers.questions import Question

A = TypeVar("A")

Verdict = Literal["yes", "no", "unsure", "undecided"]
"""Supported, contradicted, not in the evidence, or: this judge cannot tell (missing data)."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a judge says of one claim or sentence.

    `support` in [0, 1] where the judge gives one. `evidence_key` and `quote` name the passage and
    the words that it decided by; `decided_by` the judge that did, which a cascade needs.
    `probabilities` are those of a judge that speaks in them, by its options; `escalated` are the
    judges of a cascade that were asked after one that could not tell. `chunks` is in how many parts
    the evidence was read.
    """

    verdict: Verdict
    support: float | None = None
    reason: str = ""
    evidence_key: str | None = None
    quote: str | None = None
    flags: tuple[str, ...] = ()
    decided_by: str = ""
    probabilities: Mapping[str, float] | None = None
    escalated: tuple[str, ...] = ()
    chunks: int = 1


@dataclass(frozen=True, slots=True)
class Statement:
    """What an answer states, and what a judge says of it (binary faithfulness)."""

    text: str
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Who a judge is: what enters the config hash. `settings` are those that change a verdict."""

    name: str
    version: str
    model: str | None = None
    settings: Mapping[str, JsonValue] = field(default_factory=dict)


ONE_CALL = Usage(calls=1)
NO_COST = Usage()


@dataclass(frozen=True, slots=True)
class Answer(Generic[A]):
    """A judge's answer, what it cost, the model that the reply named, and what was sent to it.

    `prompt` is None where the judge does not speak in text.
    """

    value: A
    usage: Usage = ONE_CALL
    resolved: str | None = None
    prompt: str | None = None


class JudgeUnavailableError(Exception):
    """The judge gave no usable answer, retries included.

    `error` is what the outcome will say, `usage` what the attempts cost all the same,
    `retry_after_seconds` how long the other side asked to be left alone. `concerns_all`: any other
    question would have failed alike (the key, the quota, the model or the address is refused).
    `final`: the same question would fail again, and is not asked.
    """

    def __init__(
        self,
        error: ScoringError,
        usage: Usage = NO_COST,
        *,
        retry_after_seconds: float | None = None,
        concerns_all: bool = False,
        final: bool = False,
    ) -> None:
        super().__init__(error.cause or error.kind)
        self.error = error
        self.usage = usage
        self.retry_after_seconds = retry_after_seconds
        self.concerns_all = concerns_all
        self.final = final


class InvalidReplyError(JudgeUnavailableError):
    """The judge answered, but not the question. The message tells it what was wrong.

    `rest` asks only for what the reply left out, and joins it to what the reply gave; None: the
    whole question is asked again.
    """

    def __init__(
        self,
        wrong: str,
        violations: tuple[str, ...] | None = None,
        *,
        rest: Question[object] | None = None,
    ) -> None:
        super().__init__(
            ScoringError(kind="judge_failed", cause="invalid_output", violations=violations)
        )
        self.wrong = wrong
        self.rest = rest


class Judge(Protocol):
    """Answers typed questions. Limits, retries and metering are wrappers with the same method."""

    @property
    def identity(self) -> JudgeIdentity:
        """Who answers, for the config hash and the event."""
        ...

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Answer, or raise JudgeUnavailableError."""
        ...


@dataclass(frozen=True, slots=True)
class FreshAnswer:
    """What an assistant answered when it was asked again, and how many attempts that took."""

    text: str
    attempts: int = 1


class Assistant(Protocol):
    """The system whose answers are judged, where a scorer may ask it again."""

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        """Return a new answer to the last message, never a stored one.

        Raises JudgeUnavailableError of kind `sut_failed`, retries included.
        """
        ...


class Scorer(Protocol):
    """Gives one outcome for one trace. A frozen set of parameters: the judge comes with the row."""

    @property
    def name(self) -> str:
        """The name that its scores are filed under."""
        ...

    @property
    def version(self) -> str:
        """Grows when the same input may get another verdict."""
        ...

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """The parameters that can change a verdict, for the config hash."""
        ...

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Judge the trace. Raises JudgeUnavailableError, nothing else."""
        ...

    def bad(self, verdict: Scored) -> bool:
        """Say whether a verdict counts as a bad answer (pure: `pass_at` judges nothing again)."""
        ...
