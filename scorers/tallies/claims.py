"""The rows that an outcome shows its evidence in: one a claim, and the counts over them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scorers.contract import Judgement, Verdict
from scorers.questions import EvidenceKind


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim and what was judged of it. `span`: where it stands in the answer, in code points.

    `strange`: a judge extracted it, and it has next to nothing in common with the answer. `kind` is
    that of the evidence that decided it, where that is no passage.
    """

    text: str
    judgement: Judgement
    span: tuple[int, int] | None = None
    strange: bool = False
    kind: EvidenceKind | None = None

    @property
    def flags(self) -> tuple[str, ...]:
        """What is to be told of it. Flags change no verdict."""
        return (*(("not_in_answer",) if self.strange else ()), *self.judgement.flags)

    def row(self, judge: str) -> dict[str, JsonValue]:
        """Return the claim as events show it. `judge` decided where the judgement names no one."""
        judged = self.judgement
        row: dict[str, JsonValue] = {
            "text": self.text,
            "verdict": judged.verdict,
            "support": judged.support,
            "decided_by": None if judged.verdict == "undecided" else judged.decided_by or judge,
            "evidence": None
            if judged.evidence_key is None and judged.quote is None
            else {"key": judged.evidence_key, "quote": judged.quote},
            "flags": list(self.flags),
            "reason": judged.reason,
        }
        if judged.probabilities is not None:
            row["probabilities"] = dict(judged.probabilities)
        if self.kind is not None and isinstance(row["evidence"], dict):
            row["evidence"]["kind"] = self.kind
        if judged.chunks > 1:
            row["chunks"] = judged.chunks
        if self.span is not None:
            row["start"], row["end"] = self.span
        return row


def rows(claims: Sequence[JudgedClaim], judge: str) -> list[JsonValue]:
    """Return the rows of all claims, the undecided ones too, in the order of the answer."""
    return [claim.row(judge) for claim in claims]


def decided(claims: Sequence[JudgedClaim]) -> list[JudgedClaim]:
    """Return the claims that the judge could tell something of: the others are missing data."""
    return [claim for claim in claims if claim.judgement.verdict != "undecided"]


def counts(claims: Sequence[JudgedClaim]) -> dict[str, int]:
    """Count the claims as panes add them up. `claims` are the decided ones."""
    found: Counter[Verdict] = Counter(claim.judgement.verdict for claim in claims)
    return {
        "claims": len(claims) - found["undecided"],
        "supported": found["yes"],
        "contradicted": found["no"],
        "unsure": found["unsure"],
        "undecided": found["undecided"],
        **escalated([claim.judgement for claim in claims]),
    }


def escalated(judgements: Iterable[Judgement]) -> dict[str, int]:
    """Count the claims that a cascade had to ask each of its later judges about."""
    asked = Counter(judge for judgement in judgements for judge in judgement.escalated)
    return {f"escalated_{judge}": times for judge, times in asked.items()}


def weakest(claims: Sequence[JudgedClaim]) -> float | None:
    """Return the support of the weakest claim, decided or not; None where the judge gives none."""
    supports = [c.judgement.support for c in claims if c.judgement.support is not None]
    return min(supports, default=None)


def flags(claims: Sequence[JudgedClaim]) -> tuple[str, ...]:
    """Return every flag that a claim carries, each once, in order of appearance."""
    return tuple(dict.fromkeys(flag for claim in claims for flag in claim.flags))


def label(apart: Sequence[str], counted: dict[str, int]) -> str:
    """Return the one word for an answer whose claims were judged."""
    if apart:
        return apart[0]
    if counted["contradicted"]:
        return "contradicted"
    return "supported" if counted["supported"] == counted["claims"] else "unsupported"
