"""The questions around verdicts: what an answer claims, and why it got its score."""

from collections.abc import Sequence

from scorers.asking.reading import a_list, a_text, an_object
from scorers.questions import ExplainVerdicts, ExtractClaims, Question
from scorers.tallies.claims import JudgedClaim


def extract(answer: str, *, row: str) -> Question[tuple[str, ...]]:
    """Ask for the claims of an answer. Blank ones are dropped, repeated ones kept."""

    def read(reply: object) -> tuple[str, ...]:
        claims = a_list(an_object(reply), "claims")
        return tuple(a_text(c, "each claim") for c in claims if not _blank(c))

    return Question(about=ExtractClaims(answer), read=read, row=row)


def _blank(claim: object) -> bool:
    return isinstance(claim, str) and not claim.strip()


def explain(
    claims: Sequence[JudgedClaim], *, score: float, scale: float, row: str
) -> Question[str]:
    """Ask for the reason of a score, by the verdicts that made it."""

    def read(reply: object) -> str:
        return a_text(an_object(reply).get("reason"), "reason")

    verdicts = tuple((c.text, c.judgement.verdict, c.judgement.reason) for c in claims)
    about = ExplainVerdicts(verdicts=verdicts, score=score, scale=scale)
    return Question(about=about, read=read, row=row)
