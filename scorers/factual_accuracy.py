"""Factual accuracy: a grade from 1 to 5 by a reference, with the evidence for every claim."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.score import NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers.answers import Grade, GradedClaim
from scorers.asking.grades import confirm, grade
from scorers.asking.together import ask_all
from scorers.contract import Judge, JudgeUnavailableError
from scorers.evidence.inputs import ABSTENTIONS, APART, abstains, invalid
from scorers.parameters import ParameterError, number
from scorers.questions import ConfirmContradiction, Example, GradeAnswer
from scorers.tallies.findings import findings
from scorers.tallies.grades import no_answer, tally

CRITERIA = """\
5: every claim is right and nothing that was asked for is missing.
4: right in the main; a small detail is off or missing.
3: about half of what is stated is right.
2: mostly wrong or missing, with some right parts.
1: wrong throughout, or the central fact is contradicted."""

CONFIRMED_ABOVE = 0.95
"""The confidence over which a second opinion confirms a contradiction."""

_EXAMPLE_KEYS = ("generated_answer", "ground_truth_answer", "expected_output")


@dataclass(frozen=True, slots=True)
class FactualAccuracy:
    """Asks for one grade a row, and with `contradiction_check` once more a contradicted claim.

    `focus` names, between commas, the facts that weigh most. `tolerance_policy` is text for the
    judge, `numeric_tolerance` the share by which the check in code lets numbers differ. That check
    and the second opinion are told, and never change the judge's grade.
    """

    criteria: str | None = None
    focus: str | None = None
    tolerance_policy: str | None = None
    numeric_tolerance: float = 0.05
    examples: tuple[Example, ...] | None = None
    contradiction_check: bool = False
    pass_at: float = 0.5
    abstentions: tuple[str, ...] = ABSTENTIONS
    name: str = "factual_accuracy"
    version: str = "1"

    def __post_init__(self) -> None:
        """Refuse what the documents refuse before a call."""
        for name in ("criteria", "focus", "tolerance_policy"):
            text = getattr(self, name)
            if text is not None and not (isinstance(text, str) and text.strip()):
                raise ParameterError(name, "must be null, or a text that is not blank")
        if self.criteria is not None and not any(c.isdigit() for c in self.criteria):
            raise ParameterError("criteria", "must hold a numeric scale")
        if self.focus is not None and not all(part.strip() for part in self.focus.split(",")):
            raise ParameterError("focus", "must not have a blank part between its commas")
        number("numeric_tolerance", self.numeric_tolerance, least=0)
        number("pass_at", self.pass_at, least=0, most=1)
        _check_examples(self.examples)

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """All parameters but `pass_at`."""
        own: JsonValue = None
        if self.examples is not None:
            own = [dict(example) for example in self.examples]
        return {
            "criteria": self.criteria,
            "focus": self.focus,
            "tolerance_policy": self.tolerance_policy,
            "numeric_tolerance": self.numeric_tolerance,
            "examples": own,
            "contradiction_check": self.contradiction_check,
            "abstentions": list(self.abstentions),
        }

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Check the input, answer what needs no judge, ask for the grade, tally."""
        if refusal := invalid(trace, "reference", "question"):
            return refusal
        answer, reference = trace.answer or "", trace.reference or ""
        if not reference.strip():
            return NotScorable(reason="missing_reference")
        if not answer.strip():
            return no_answer()
        about = GradeAnswer(
            question=trace.question,
            answer=answer,
            reference=reference,
            criteria=self.criteria or CRITERIA,
            focus=tuple(part.strip() for part in (self.focus or "").split(",") if part.strip()),
            tolerance_policy=self.tolerance_policy,
            examples=self.examples or (),
        )
        graded = (await judge.ask(grade(about, row=trace.trace_id))).value
        opinions = await self._opinions(graded, reference, trace, judge)
        flags = ("abstained",) if abstains(answer, self.abstentions) else ()
        found = findings(
            answer,
            reference,
            question=trace.question or "",
            tolerance=self.numeric_tolerance,
        )
        return tally(graded, flags=flags, findings=found, opinions=opinions)

    def bad(self, verdict: Scored) -> bool:
        """Say whether the grade is too low."""
        return not APART.intersection(verdict.flags) and verdict.normalized < self.pass_at

    async def _opinions(
        self, graded: Grade, reference: str, trace: RagTrace, judge: Judge
    ) -> list[str | None]:
        """Return a flag for each claim: what a second judgement says of it, if one was asked."""

        async def opinion(claim: GradedClaim) -> str | None:
            if not self.contradiction_check or claim.verdict != "contradicted":
                return None
            about = ConfirmContradiction(claim=claim.text, reference=reference)
            try:
                said = (await judge.ask(confirm(about, row=trace.trace_id))).value
            except JudgeUnavailableError:
                return "contradiction_unchecked"
            confirmed = said.contradicts and said.confidence > CONFIRMED_ABOVE
            return "contradiction_confirmed" if confirmed else "contradiction_unconfirmed"

        return await ask_all(opinion(claim) for claim in graded.claims)


def _check_examples(examples: object) -> None:
    """Refuse what is no list of cases with all keys; what `expected_output` holds is free."""
    cases = () if examples is None else examples
    if not isinstance(cases, list | tuple) or not all(map(_is_example, cases)):
        raise ParameterError("examples", f"must each have {', '.join(_EXAMPLE_KEYS)}")


def _is_example(case: object) -> bool:
    return isinstance(case, Mapping) and all(key in case for key in _EXAMPLE_KEYS)
