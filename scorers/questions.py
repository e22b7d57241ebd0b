"""What judges are asked: one frozen subject a step, and the typed question around it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

A = TypeVar("A")

EvidenceKind = Literal["contexts", "tool_results", "history", "citations", "reference"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of text that a claim may be checked against, and the key it is known by."""

    key: str
    text: str
    kind: EvidenceKind = "contexts"


@dataclass(frozen=True, slots=True)
class VerifyClaims:
    """Does the evidence support each claim? (faithfulness; answered by every kind of judge)."""

    claims: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    question: str | None = None


@dataclass(frozen=True, slots=True)
class SupportSentence:
    """Does the cited evidence support this sentence? (citation accuracy; every kind of judge).

    `threshold` in [0, 1] is the support from which it counts as supported.
    """

    sentence: str
    evidence: tuple[Evidence, ...]
    threshold: float = 0.5


Subject = VerifyClaims | SupportSentence
"""What a question is about."""


@dataclass(frozen=True, slots=True)
class Question(Generic[A]):
    """What to ask, and how to read the reply.

    `read` takes the parsed reply of a text judge and raises InvalidReplyError, never mends. Judges
    that do not speak in text (rules, decisions) answer by the subject's type. `row` is the trace
    id; `wrong` says what was wrong with the reply before, where the question is asked again.
    """

    about: Subject
    read: Callable[[object], A]
    row: str
    wrong: str | None = None
