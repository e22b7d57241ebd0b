"""What judges are asked: one frozen subject a step, and the typed question around it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from pydantic import JsonValue

from schemas.trace import Turn

A = TypeVar("A", covariant=True)

EvidenceKind = Literal["contexts", "tool_results", "history", "citations", "reference"]

Example = Mapping[str, JsonValue]
"""A worked case that is shown to a text judge. Its scorer says what it must hold."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of text that a claim may be checked against, and the key it is known by.

    Not `whole`: a part of a piece that was too long to be read at once.
    """

    key: str
    text: str
    kind: EvidenceKind = "contexts"
    whole: bool = True


@dataclass(frozen=True, slots=True)
class ScoreStatements:
    """What does the answer state, and which of it follows from the evidence? (binary).

    `turns` as in VerifyClaims.
    """

    answer: str
    evidence: tuple[Evidence, ...]
    question: str
    examples: tuple[Example, ...] = ()
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractClaims:
    """What does the answer claim? (faithfulness with `claims: judge`)."""

    answer: str


@dataclass(frozen=True, slots=True)
class VerifyClaims:
    """Does the evidence support each claim? (faithfulness; answered by every kind of judge).

    `numbers` are those of the claims in their answer, where only some are asked about. `turns` are
    the last ones before the question: they tell what pronouns stand for, and support nothing.
    """

    claims: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    question: str | None = None
    numbers: tuple[int, ...] = ()
    turns: tuple[Turn, ...] = ()

    @property
    def numbered(self) -> tuple[tuple[int, str], ...]:
        """The claims with the numbers that they are known by: from 1, unless told otherwise."""
        return tuple(zip(self.numbers or range(1, len(self.claims) + 1), self.claims, strict=True))


@dataclass(frozen=True, slots=True)
class ExplainVerdicts:
    """Why did the answer get this score? `verdicts` holds (claim, verdict, reason) of each."""

    verdicts: tuple[tuple[str, str, str], ...]
    score: float
    scale: float


@dataclass(frozen=True, slots=True)
class SupportSentence:
    """Does the cited evidence support this sentence? (citation accuracy; every kind of judge).

    `threshold` in [0, 1] is the support from which it counts as supported.
    """

    sentence: str
    evidence: tuple[Evidence, ...]
    threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class CompareAnswers:
    """Do two answers to one question agree on their facts? (consistency; `base` came first)."""

    question: str
    base: str
    other: str


@dataclass(frozen=True, slots=True)
class GradeAnswer:
    """How right is the answer, judged by a reference? (accuracy).

    `tolerance_policy` is text for the judge; None means that facts must match literally.
    """

    question: str | None
    answer: str
    reference: str
    criteria: str
    focus: tuple[str, ...] = ()
    tolerance_policy: str | None = None
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfirmContradiction:
    """Do claim and reference exclude each other? A second opinion (accuracy)."""

    claim: str
    reference: str


@dataclass(frozen=True, slots=True)
class AnswerCriterion:
    """Which of these answers holds of what an assistant said? (own criteria).

    `criterion` and `options` are settings, in the order in which they are offered; the rest is
    judged text. `evidence` None: none was recorded.
    """

    criterion: str
    options: tuple[str, ...]
    answer: str
    question: str | None = None
    evidence: tuple[Evidence, ...] | None = None


@dataclass(frozen=True, slots=True)
class ExplainBad:
    """Why is this answer bad? Asked once the verdict stands, and changes nothing of it.

    `findings` is the breakdown that `scorer` came to its `label` by.
    """

    scorer: str
    label: str
    findings: Mapping[str, JsonValue]
    answer: str
    question: str | None = None
    evidence: tuple[Evidence, ...] | None = None


Subject = (
    ScoreStatements
    | ExtractClaims
    | VerifyClaims
    | ExplainVerdicts
    | SupportSentence
    | CompareAnswers
    | GradeAnswer
    | ConfirmContradiction
    | AnswerCriterion
    | ExplainBad
)
"""What a question is about."""


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """What to ask, and how to read the reply.

    `read` takes the parsed reply of a text judge and raises InvalidReplyError, never mends. Judges
    that do not speak in text (rules, decisions) answer by the subject's type. `row` is the trace
    id; `wrong` says what was wrong with the reply before, where the question is asked again;
    `room` is how many times the usual length a reply may have (more after one that was cut off).
    `lift` puts values back where the texts have placeholders for them: for judges that send nothing
    anywhere (None: there are none).
    """

    about: Subject
    read: Callable[[object], A]
    row: str
    wrong: str | None = None
    room: int = 1
    lift: Callable[[str], str] | None = None
