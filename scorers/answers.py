"""What judges answer to the subjects that are no plain verdicts on claims."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Agreement = Literal["consistent", "slightly_inconsistent", "contradictory"]

AccuracyVerdict = Literal["fully_supported", "partially_supported", "contradicted", "unsupported"]

Scope = Literal["in_reference", "out_of_reference_true", "out_of_reference_false"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far two answers agree. Label and score in [0, 1] are separate: neither gives the other.

    None: this judge cannot tell.
    """

    label: Agreement | None
    score: float | None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class GradedClaim:
    """A span of the answer, judged by the reference. `verdict` None: this judge cannot tell."""

    text: str
    verdict: AccuracyVerdict | None
    evidence: str | None = None
    explanation: str = ""
    scope: Scope = "in_reference"

    @property
    def neutral(self) -> bool:
        """Whether it is a true fact that the reference does not cover: it costs nothing."""
        return self.scope == "out_of_reference_true"


@dataclass(frozen=True, slots=True)
class RequiredFact:
    """A fact of the reference that the question asks for, and whether the answer has it."""

    fact: str
    present: bool


@dataclass(frozen=True, slots=True)
class Grade:
    """How right an answer is: 1 to 5 (None: this judge cannot tell), and why."""

    score: int | None
    claims: tuple[GradedClaim, ...]
    justification: str = ""
    summary: str = ""
    required_facts: tuple[RequiredFact, ...] | None = None
    errors_found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A second opinion on a contradicted claim, with a confidence in [0, 1]."""

    contradicts: bool
    confidence: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The option that holds, by a judge that was given some; None: this judge cannot tell.

    `probabilities` are those of a judge that speaks in them; `decided_by` and `escalated` are a
    cascade's, as in `Judgement`.
    """

    option: str | None
    reason: str = ""
    flags: tuple[str, ...] = ()
    probabilities: Mapping[str, float] | None = None
    decided_by: str = ""
    escalated: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an answer is bad, by a model that did not judge it, and whether it finds so too."""

    reason: str
    agrees: bool
