"""Which subjects can be asked about in parts, and what the answers about the parts add up to.

    some part says yes              yes, and flagged `conflict` where another says no
    none does, some says no         no
    neither, some is undecided      undecided: it may be there
    all say unsure                  unsure

That is the greatest of the words in an order, so the order of the parts does not matter, nor
whether parts are divided once more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import cast

from scorers.asking.verdicts import verify
from scorers.contract import Judgement, Statement, Verdict
from scorers.questions import (
    Evidence,
    ExtractClaims,
    Question,
    ScoreStatements,
    Subject,
    SupportSentence,
    VerifyClaims,
)

CHUNKED, CONFLICT, PARTIAL = "chunked", "conflict", "partial"
"""Flags: read in chunks; of which one says no to a claim that another supports; one failed."""

_RANK: Mapping[Verdict, int] = {"unsure": 0, "undecided": 1, "no": 2, "yes": 3}


def divisible(about: Subject) -> tuple[Evidence, ...] | None:
    """Return what can be divided of a subject; None where it can only be read as a whole.

    Two answers are compared, and an answer is graded by its reference, as wholes.
    """
    match about:
        case VerifyClaims() | SupportSentence() | ScoreStatements():
            return about.evidence
        case ExtractClaims(answer=answer):
            return (Evidence("answer", answer),)
        case _:
            return None


def overlapping(about: Subject) -> bool:
    """Say whether parts may overlap: claims that are taken out of two parts would count twice."""
    return not isinstance(about, ExtractClaims)


def holding(about: Subject, pieces: tuple[Evidence, ...]) -> Subject:
    """Return the subject with these pieces instead; one without any stays as it is."""
    match about:
        case VerifyClaims() | SupportSentence() | ScoreStatements():
            return replace(about, evidence=pieces)
        case ExtractClaims():
            return replace(about, answer="".join(piece.text for piece in pieces))
        case _:
            return about


def part(question: Question[object], pieces: tuple[Evidence, ...]) -> Question[object]:
    """Return the question about some of the pieces: quotes are looked for in these alone."""
    about = holding(question.about, pieces)
    if isinstance(about, VerifyClaims):
        return verify(about, row=question.row)
    return replace(question, about=about)


def joined(about: Subject, values: Sequence[object], *, failed: bool) -> object | None:
    """Return what the answers about the parts add up to.

    None where parts `failed` that would have mattered: only what is supported stands without them.
    """
    if not values:
        return None
    if isinstance(about, ExtractClaims):
        lists = cast("Sequence[tuple[str, ...]]", values)
        return None if failed else tuple(chain.from_iterable(lists))
    if isinstance(about, SupportSentence):
        one = merged(cast("Sequence[Judgement]", values), failed=failed)
        return None if _open(one, failed=failed) else one
    if isinstance(about, ScoreStatements):
        stated = cast("Sequence[tuple[Statement, ...]]", values)
        told = [
            replace(same[0], judgement=merged([s.judgement for s in same], failed=failed))
            for same in zip(*stated, strict=True)
        ]
        return None if any(_open(s.judgement, failed=failed) for s in told) else tuple(told)
    judged = cast("Sequence[tuple[Judgement, ...]]", values)
    found = [merged(same, failed=failed) for same in zip(*judged, strict=True)]
    return None if any(_open(one, failed=failed) for one in found) else tuple(found)


def _open(judgement: Judgement, *, failed: bool) -> bool:
    return failed and judgement.verdict != "yes"


def merged(found: Sequence[Judgement], *, failed: bool = False) -> Judgement:
    """Return the judgement on a claim that was read in several chunks; one of them at least."""
    deciding = max(_RANK[one.verdict] for one in found)
    decided = [one for one in found if _RANK[one.verdict] == deciding]
    verdicts = {one.verdict for one in found}
    flags = {
        CHUNKED: True,
        CONFLICT: {"yes", "no"} <= verdicts,
        PARTIAL: failed,
    }
    supports = [one.support for one in found if one.support is not None]
    told = max(decided, key=lambda one: one.support or 0.0)
    return replace(
        told,
        support=max(supports, default=None),
        flags=tuple(
            dict.fromkeys(
                (
                    *chain.from_iterable(one.flags for one in decided),
                    *(flag for flag, raised in flags.items() if raised),
                )
            )
        ),
        chunks=sum(one.chunks for one in found),
    )
