"""Binary faithfulness: the judge takes the answer apart and scores each statement 1 or 0."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.score import Breakdown, InvalidInput, NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers import examples
from scorers.asking.reading import a_list, a_text, an_explanation, an_object
from scorers.contract import InvalidReplyError, Judge, Judgement, Statement
from scorers.evidence.conversation import lately
from scorers.evidence.inputs import ABSTENTIONS, APART, apart, invalid
from scorers.evidence.recorded import recorded
from scorers.evidence.strangers import strange
from scorers.parameters import number
from scorers.questions import Example, Question, ScoreStatements
from scorers.tallies import claims as claim_rows
from scorers.tallies.claims import JudgedClaim


@dataclass(frozen=True, slots=True)
class FaithfulnessBinary:
    """Asks once a row. `examples` replace the three that the judge is shown by default."""

    examples: tuple[Example, ...] | None = None
    pass_at: float = 0.7
    abstentions: tuple[str, ...] = ABSTENTIONS
    name: str = "faithfulness_binary"
    version: str = "1"

    def __post_init__(self) -> None:
        """Refuse a bar out of range, and examples that are none."""
        number("pass_at", self.pass_at, least=0, most=1)
        examples.check(self.examples)

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """The examples, where they are not ours, and the refusals."""
        own: JsonValue = None
        if self.examples is not None:
            own = [dict(example) for example in self.examples]
        return {"examples": own, "abstentions": list(self.abstentions)}

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Check the input, answer what needs no judge, ask, tally: in this order."""
        if refusal := invalid(trace, "question", "contexts"):
            return refusal
        if trace.question is None:
            return NotScorable(reason="missing_question")
        if not trace.question.strip():
            return InvalidInput(reason="blank_question")
        evidence = recorded(trace, ("contexts",))
        if evidence is None:
            return NotScorable(reason="missing_context")
        answer = trace.answer or ""
        claims: list[JudgedClaim] = []
        if answer.strip():
            shown = examples.OURS if self.examples is None else self.examples
            about = ScoreStatements(answer, evidence, trace.question, shown, lately(trace))
            reply = await judge.ask(statements(about, row=trace.trace_id))
            claims = [
                JudgedClaim(s.text, s.judgement, strange=strange(s.text, answer))
                for s in reply.value
            ]
        flags = apart(answer, claims=len(claims), abstentions=self.abstentions)
        return tally(claims, judge=judge.identity.name, apart=flags)

    def bad(self, verdict: Scored) -> bool:
        """Say whether too few statements are supported."""
        return not APART.intersection(verdict.flags) and verdict.normalized < self.pass_at


def tally(claims: Sequence[JudgedClaim], *, judge: str, apart: tuple[str, ...] = ()) -> Outcome:
    """Return the mean of the scores, not rounded. Without statements it is 0, and flagged so."""
    known = claim_rows.decided(claims)
    counted = claim_rows.counts(claims)
    breakdown: Breakdown = {
        "statements": [claim.text for claim in known],
        "statement_scores": [int(claim.judgement.verdict == "yes") for claim in known],
        "no_claims": not claims,
        "claims": claim_rows.rows(claims, judge),
    }
    if claims and not known:
        return NotScorable(reason="undecided", breakdown=breakdown)
    mean = counted["supported"] / len(known) if known else 0.0
    return Scored(
        score=mean,
        normalized=mean,
        label=claim_rows.label(apart, counted),
        support=claim_rows.weakest(claims),
        counts=counted,
        flags=(*apart, *claim_rows.flags(claims)),
        breakdown=breakdown,
    )


def statements(about: ScoreStatements, *, row: str) -> Question[tuple[Statement, ...]]:
    """Ask for the statements of an answer, each with 1 (it follows from the contexts) or 0."""

    def read(reply: object) -> tuple[Statement, ...]:
        fields = an_object(reply)
        texts = [a_text(text, "each statement") for text in a_list(fields, "statements")]
        supported = [_score(score) for score in a_list(fields, "statement_scores")]
        if len(texts) != len(supported):
            raise InvalidReplyError("statements and statement_scores must be equally many")
        return tuple(
            Statement(text, Judgement("yes" if holds else "unsure", reason=reason))
            for text, holds, reason in zip(
                texts, supported, _reasons(fields, len(texts)), strict=True
            )
        )

    return Question(about=about, read=read, row=row)


def _score(value: object) -> bool:
    """Return what stands for 1 or 0: a number, a boolean, or the digit as a text."""
    word = value.strip() if isinstance(value, str) else value
    if isinstance(word, int | float | str) and word in (0, 1, "0", "1"):
        return word in (1, "1")
    raise InvalidReplyError("each statement score must be 0 or 1")


def _reasons(fields: Mapping[str, object], items: int) -> list[str]:
    if fields.get("reasons") is None:
        return [""] * items
    reasons = [an_explanation({"reason": r}, "reason") for r in a_list(fields, "reasons")]
    if len(reasons) != items:
        raise InvalidReplyError("reasons and statements must be equally many")
    return reasons
