"""The embedded judge: words, numbers, dates and names, without a model, a network or a key."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar, TypeVar, cast

from schemas.score import ScoringError, Usage
from scorers.contract import Answer, JudgeIdentity, Judgement, JudgeUnavailableError, Verdict
from scorers.judges.rules_cache import PassageCache
from scorers.judges.rules_clash import clash
from scorers.judges.rules_index import IndexedPassage, read
from scorers.judges.rules_polarity import turned_round
from scorers.judges.rules_support import ClaimSupport, SentenceRef, compare
from scorers.judges.rules_verbatim import beyond_words
from scorers.questions import Evidence, Question, Subject, SupportSentence, VerifyClaims
from scorers.text.terms import terms

A = TypeVar("A")

SUPPORTED_FROM, ABSENT_BELOW = 0.75, 0.3
"""Support from which a claim without a flag is supported, and below which it is not there."""

_NEAR = 0.5
_LEAST_WORDS = 2
_INLINE_CHARACTERS = 8_000
_NAME = "rules"


class RulesJudge:
    """Says yes where a claim is all but written in the evidence, unsure where it is not there.

    What lies between is undecided, the usual answer to a free paraphrase. It says no only where a
    number or a date stands against another one for the same thing. It does not understand: roles
    that are swapped, arithmetic and what everyone knows are beyond it.
    """

    answers: ClassVar[tuple[type[Subject], ...]] = (VerifyClaims, SupportSentence)
    """The subjects that it can be asked about; a scorer that needs others needs another judge."""

    def __init__(self) -> None:
        self._cache = PassageCache()

    @property
    def identity(self) -> JudgeIdentity:
        """Its name and version: it has no settings."""
        return JudgeIdentity(_NAME, "1")

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Answer; long texts in a thread. Raises JudgeUnavailableError for another subject."""
        about = question.about
        if not isinstance(about, VerifyClaims | SupportSentence):
            raise JudgeUnavailableError(
                ScoringError(kind="judge_failed", cause="unsupported_question")
            )
        if _length(about) > _INLINE_CHARACTERS:
            value = await asyncio.to_thread(self._judge, about)
        else:
            value = self._judge(about)
        return Answer(cast("A", value), Usage(calls=1, cost_usd=0.0))

    def _judge(self, about: VerifyClaims | SupportSentence) -> Judgement | tuple[Judgement, ...]:
        passages = [self._cache.index(piece.text) for piece in about.evidence]
        if isinstance(about, VerifyClaims):
            different = dict.fromkeys(about.claims)  # what is said again is not judged again
            found = {claim: _judge_claim(claim, about.evidence, passages) for claim in different}
            return tuple(found[claim] for claim in about.claims)
        from_ = max(SUPPORTED_FROM, about.threshold)
        return _judge_claim(about.sentence, about.evidence, passages, supported_from=from_)


def _length(about: VerifyClaims | SupportSentence) -> int:
    claims = about.claims if isinstance(about, VerifyClaims) else (about.sentence,)
    return sum(map(len, claims)) + sum(len(piece.text) for piece in about.evidence)


def _judge_claim(
    claim: str,
    evidence: Sequence[Evidence],
    passages: Sequence[IndexedPassage],
    *,
    supported_from: float = SUPPORTED_FROM,
) -> Judgement:
    reading = read(claim)
    found = compare(reading, passages)
    against = clash(found.numbers_absent, reading, found, passages)
    place = against or found.place
    quote = _sentence(passages, place)
    near = quote is not None and found.support >= _NEAR
    turned = near and turned_round(reading.words, terms(quote or ""))
    flags = _flags(found, turned=turned)
    verdict = "no" if against else _verdict(found, flags, supported_from)
    if verdict == "yes" and (
        # The number stands elsewhere; where the claim's subject is spoken of, there is another.
        clash(reading.figures, reading, found, passages) or beyond_words(claim, quote or "")
    ):
        verdict = "undecided"
    return Judgement(
        verdict=verdict,
        support=found.support,
        reason=_REASONS[verdict] if not flags else "; ".join(_FLAGGED[flag] for flag in flags),
        evidence_key=evidence[place[0]].key if place else None,
        quote=quote,
        flags=flags,
        decided_by="" if verdict == "undecided" else _NAME,
    )


def _sentence(passages: Sequence[IndexedPassage], place: SentenceRef | None) -> str | None:
    if place is None:
        return None
    passage = passages[place[0]]
    start, end = passage.spans[place[1]]
    return passage.text[start:end]


def _flags(found: ClaimSupport, *, turned: bool) -> tuple[str, ...]:
    dated = [figure.kind in {"year", "day", "time"} for figure in found.numbers_absent]
    flags = {
        "number": not all(dated),
        "date": any(dated),
        "name": bool(found.names_absent),
        "negation": turned,
    }
    return tuple(flag for flag, raised in flags.items() if raised)


def _verdict(found: ClaimSupport, flags: Sequence[str], supported_from: float) -> Verdict:
    if found.support < ABSENT_BELOW or {"number", "date", "name"}.intersection(flags):
        return "unsure"
    told = found.support >= supported_from and found.words >= _LEAST_WORDS
    return "yes" if told and not flags else "undecided"


_REASONS = {
    "yes": "the evidence says it in nearly the same words",
    "no": "the evidence gives another value for the same thing",
    "unsure": "the evidence holds little of it",
    "undecided": "the evidence is near, but the words alone do not tell",
}
_FLAGGED = {
    "number": "a number of it is nowhere in the evidence",
    "date": "a date of it is nowhere in the evidence",
    "name": "a name in it is nowhere in the evidence",
    "negation": "it denies what the nearest evidence affirms, or the other way round",
}
