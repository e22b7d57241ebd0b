"""Asking for a grade: a reply that keeps every rule is taken, any other is refused whole."""

from collections.abc import Mapping

from scorers.answers import Contradiction, Grade, GradedClaim, RequiredFact
from scorers.asking.reading import a_list, a_number, an_explanation, an_object
from scorers.contract import InvalidReplyError
from scorers.questions import ConfirmContradiction, GradeAnswer, Question
from scorers.tallies.grade_rules import SCOPES, VERDICTS, violations


def grade(about: GradeAnswer, *, row: str) -> Question[Grade]:
    """Ask for a grade. What a refused reply breaks is listed, for the judge and for the outcome."""

    def read(reply: object) -> Grade:
        fields = an_object(reply)
        broken = tuple(sorted(set(violations(fields, about))))
        if broken:
            raise InvalidReplyError(f"it breaks these rules: {', '.join(broken)}", broken)
        return _grade(fields)

    return Question(about=about, read=read, row=row)


def confirm(about: ConfirmContradiction, *, row: str) -> Question[Contradiction]:
    """Ask whether a contradicted claim and the reference really exclude each other."""

    def read(reply: object) -> Contradiction:
        fields = an_object(reply)
        contradicts = fields.get("contradicts")
        if not isinstance(contradicts, bool):
            raise InvalidReplyError("contradicts must be true or false")
        return Contradiction(
            contradicts=contradicts,
            confidence=a_number(fields.get("confidence"), "confidence", least=0, most=1),
            reason=an_explanation(fields, "reason"),
        )

    return Question(about=about, read=read, row=row)


def _grade(fields: Mapping[str, object]) -> Grade:
    """Build the grade of a reply that breaks no rule."""
    score = fields.get("factual_accuracy_score")
    facts, errors = fields.get("required_facts"), fields.get("errors_found")
    return Grade(
        score=score if isinstance(score, int) else None,
        claims=tuple(_claim(an_object(c)) for c in a_list(fields, "claim_verifications")),
        justification=an_explanation(fields, "score_justification"),
        summary=an_explanation(fields, "verdict_summary"),
        required_facts=tuple(_fact(an_object(f)) for f in facts)
        if isinstance(facts, list)
        else None,
        errors_found=tuple(str(error) for error in errors) if isinstance(errors, list) else (),
    )


def _claim(claim: Mapping[str, object]) -> GradedClaim:
    scope, verdict = claim.get("scope") or SCOPES[0], claim.get("verdict")
    return GradedClaim(
        text=an_explanation(claim, "claim_text"),
        verdict=next(known for known in VERDICTS if known == verdict),
        evidence=an_explanation(claim, "evidence") or None,
        explanation=an_explanation(claim, "explanation"),
        scope=next(known for known in SCOPES if known == scope),
    )


def _fact(fact: Mapping[str, object]) -> RequiredFact:
    return RequiredFact(an_explanation(fact, "fact"), present=fact.get("present") is True)
