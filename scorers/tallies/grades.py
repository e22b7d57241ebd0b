"""What a grade and its claims add up to. The judge's grade stands: all else is told beside it."""

from collections import Counter
from collections.abc import Sequence

from pydantic import JsonValue

from schemas.score import Breakdown, NotScorable, Outcome, Scored
from scorers.answers import Grade, GradedClaim
from scorers.tallies.findings import Finding
from scorers.tallies.grade_rules import LEAST, MOST, VERDICTS

NO_ANSWER = "no answer provided"


def no_answer() -> Scored:
    """Return the verdict on an answer that is empty: 0, which no judge can give."""
    return Scored(
        score=0,
        normalized=0,
        label="empty_answer",
        counts={"claims": 0, **dict.fromkeys(VERDICTS, 0)},
        flags=("empty_answer",),
        reason=NO_ANSWER,
        breakdown={"claims": []},
    )


def tally(
    graded: Grade,
    *,
    flags: Sequence[str] = (),
    findings: Sequence[Finding] = (),
    opinions: Sequence[str | None] = (),
) -> Outcome:
    """Return the grade with what its claims add up to. Flags and findings change nothing."""
    verdicts = Counter(claim.verdict for claim in graded.claims)
    costing = [claim for claim in graded.claims if not claim.neutral and claim.verdict]
    right = sum(claim.verdict == "fully_supported" for claim in costing)
    facts = graded.required_facts
    repeated = [text for text, n in Counter(c.text for c in graded.claims).items() if n > 1]
    breakdown: Breakdown = {
        "verdict_counts": {verdict: verdicts[verdict] for verdict in VERDICTS},
        "claim_precision": right / len(costing) if costing else None,
        "fact_recall": sum(fact.present for fact in facts) / len(facts) if facts else None,
        "summary": graded.summary,
        "claims": [_row(c, o) for c, o in _with_opinions(graded.claims, opinions)],
        "findings": [finding.row() for finding in findings],
        "errors_found": list(graded.errors_found),
    }
    if graded.score is None:
        return NotScorable(reason="undecided", breakdown=breakdown)
    holds = {
        "score_inconsistent": _inconsistent(graded),
        "duplicate_claims": bool(repeated),
        **{finding.kind: True for finding in findings},
        **{opinion: True for opinion in opinions if opinion},
    }
    return Scored(
        score=graded.score,
        normalized=(graded.score - LEAST) / (MOST - LEAST),
        label=flags[0] if flags else str(graded.score),
        counts={"claims": len(graded.claims), **{v: verdicts[v] for v in VERDICTS}},
        flags=(*flags, *(flag for flag, raised in holds.items() if raised)),
        reason=graded.justification,
        breakdown=breakdown,
    )


def _inconsistent(graded: Grade) -> bool:
    """Say whether the best grade stands beside a contradiction, or the worst beside none wrong."""
    verdicts = [claim.verdict for claim in graded.claims]
    if graded.score == MOST:
        return "contradicted" in verdicts
    return graded.score == LEAST and set(verdicts) == {"fully_supported"}


def _with_opinions(
    claims: Sequence[GradedClaim], opinions: Sequence[str | None]
) -> list[tuple[GradedClaim, str | None]]:
    return list(zip(claims, opinions or [None] * len(claims), strict=True))


def _row(claim: GradedClaim, opinion: str | None) -> dict[str, JsonValue]:
    return {
        "text": claim.text,
        "verdict": claim.verdict or "undecided",
        "evidence": None
        if claim.evidence is None
        else {"key": "reference", "quote": claim.evidence},
        "scope": claim.scope,
        "flags": [opinion] if opinion else [],
        "reason": claim.explanation,
    }
