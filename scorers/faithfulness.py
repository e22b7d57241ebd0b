"""Faithfulness: the share of the answer's claims that its evidence supports (yes / claims)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from schemas.score import Breakdown, NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers.asking.claims import explain, extract
from scorers.asking.keeping import KeepingJudge
from scorers.asking.verdicts import verify
from scorers.contract import Judge, Judgement, JudgeUnavailableError
from scorers.evidence.conversation import lately
from scorers.evidence.inputs import ABSTENTIONS, APART, apart, invalid
from scorers.evidence.recorded import KINDS, recorded
from scorers.evidence.strangers import strange
from scorers.parameters import ParameterError, number, whole
from scorers.questions import Evidence, EvidenceKind, VerifyClaims
from scorers.tallies import claims as claim_rows
from scorers.tallies.claims import JudgedClaim
from scorers.tallies.rounding import half_up
from scorers.text.claims import claims as sentences

UNVERIFIED = Judgement("unsure", reason="there is no evidence to check it against")


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """Takes the answer's claims, asks for a verdict on each, and counts.

    `claims: sentences` takes the answer's own, `judge` lets the judge take it apart. The evidence
    is the first of the kinds that was recorded, or with `all_evidence` all of them.
    """

    claims: Literal["sentences", "judge"] = "sentences"
    claims_per_call: int = 8
    evidence: tuple[EvidenceKind, ...] = ("contexts", "tool_results")
    all_evidence: bool = False
    pass_at: float = 0.7
    scale: float = 1.0
    include_reason: bool = False
    keep_prompts: bool = False
    abstentions: tuple[str, ...] = ABSTENTIONS
    name: str = "faithfulness"
    version: str = "1"

    def __post_init__(self) -> None:
        """Refuse what no row could be judged by."""
        number("scale", self.scale, above=0)
        number("pass_at", self.pass_at, least=0, most=1)
        whole("claims_per_call", self.claims_per_call, least=1)
        if self.claims not in ("sentences", "judge"):
            raise ParameterError("claims", "must be sentences or judge")
        kinds = set(self.evidence)
        if not kinds or len(kinds) < len(self.evidence) or kinds - set(KINDS):
            raise ParameterError("evidence", f"must be some of {', '.join(KINDS)}, each once")
        if "history" in kinds and not self.all_evidence:
            raise ParameterError("evidence", "may hold history only with all_evidence")

    @property
    def settings(self) -> Mapping[str, JsonValue]:
        """All parameters but `pass_at`, and those that only add text to the outcome."""
        return {
            "claims": self.claims,
            "claims_per_call": self.claims_per_call,
            "evidence": list(self.evidence),
            "all_evidence": self.all_evidence,
            "scale": self.scale,
            "abstentions": list(self.abstentions),
        }

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Check the input, take the claims, ask for verdicts, tally: in this order."""
        if refusal := invalid(trace, *self.evidence):
            return refusal
        evidence = recorded(trace, self.evidence, everything=self.all_evidence)
        if evidence is None:
            return NotScorable(reason="missing_context")
        keeping = KeepingJudge(judge)
        claims = await self._claims(trace, keeping)
        if evidence:
            claims = await self._verified(claims, evidence, trace, keeping)
        outcome = tally(
            claims,
            judge=judge.identity.name,
            scale=self.scale,
            apart=apart(trace.answer or "", claims=len(claims), abstentions=self.abstentions),
            no_context=not evidence,
        )
        if isinstance(outcome, Scored) and self.include_reason and claims:
            outcome = await self._explained(outcome, claims, trace, keeping)
        return keeping.shown(outcome) if self.keep_prompts else outcome

    async def _claims(self, trace: RagTrace, judge: Judge) -> list[JudgedClaim]:
        answer = trace.answer or ""
        if self.claims == "sentences":
            return [JudgedClaim(c.text, UNVERIFIED, (c.start, c.end)) for c in sentences(answer)]
        if not answer.strip():
            return []
        extracted = await judge.ask(extract(answer, row=trace.trace_id))
        return [
            JudgedClaim(text, UNVERIFIED, strange=strange(text, answer)) for text in extracted.value
        ]

    async def _verified(
        self,
        claims: Sequence[JudgedClaim],
        evidence: tuple[Evidence, ...],
        trace: RagTrace,
        judge: Judge,
    ) -> list[JudgedClaim]:
        """Ask some claims at a time, one call after the other.

        The calls share the evidence, which the provider then has cached; and after one that fails
        nothing more is bought.
        """
        judgements: list[Judgement] = []
        turns = lately(trace, evidence)
        kinds = {piece.key: piece.kind for piece in evidence if piece.kind != "contexts"}
        for start in range(0, len(claims), self.claims_per_call):
            some = claims[start : start + self.claims_per_call]
            about = VerifyClaims(
                claims=tuple(claim.text for claim in some),
                evidence=evidence,
                question=trace.question,
                numbers=tuple(range(start + 1, start + len(some) + 1)),
                turns=turns,
            )
            judgements += (await judge.ask(verify(about, row=trace.trace_id))).value
        return [
            replace(claim, judgement=one, kind=kinds.get(one.evidence_key or ""))
            for claim, one in zip(claims, judgements, strict=True)
        ]

    async def _explained(
        self, outcome: Scored, claims: Sequence[JudgedClaim], trace: RagTrace, judge: Judge
    ) -> Scored:
        """Add the reason, made of the same verdicts; a failure leaves the score and says so."""
        about = claim_rows.decided(claims)
        question = explain(about, score=outcome.score, scale=self.scale, row=trace.trace_id)
        try:
            reason = (await judge.ask(question)).value
        except JudgeUnavailableError as error:
            failure = {"reason_error": error.error.cause or error.error.kind}
            return outcome.model_copy(update={"breakdown": {**outcome.breakdown, **failure}})
        return outcome.model_copy(update={"reason": reason})

    def bad(self, verdict: Scored) -> bool:
        """Say whether a claim is contradicted, or too few are supported."""
        if APART.intersection(verdict.flags):
            return False
        return verdict.counts["contradicted"] > 0 or verdict.normalized < self.pass_at


def tally(
    claims: Sequence[JudgedClaim],
    *,
    judge: str,
    scale: float = 1.0,
    apart: tuple[str, ...] = (),
    no_context: bool = False,
) -> Outcome:
    """Count. Undecided claims are missing data; an answer that claims nothing scores 0, flagged.

    `score` is rounded half up to two decimals, `normalized` is not.
    """
    known = claim_rows.decided(claims)
    counted = claim_rows.counts(claims)
    breakdown: Breakdown = {
        "total": len(known),
        "yes": counted["supported"],
        "no": counted["contradicted"],
        "unsure": counted["unsure"],
        "contradicted_rate": counted["contradicted"] / len(known) if known else None,
        "no_claims": not claims,
        "no_context": no_context,
        "claims": claim_rows.rows(claims, judge),
    }
    if claims and not known:
        return NotScorable(reason="undecided", breakdown=breakdown)
    ratio = counted["supported"] / len(known) if known else 0.0
    return Scored(
        score=half_up(ratio * scale),
        normalized=ratio,
        label=claim_rows.label(apart, counted),
        support=claim_rows.weakest(claims),
        counts=counted,
        flags=(*apart, *(("no_context",) if no_context else ()), *claim_rows.flags(claims)),
        breakdown=breakdown,
    )
