"""The one thing that rules may call a contradiction: another number for the same thing."""

from collections.abc import Iterable, Sequence

from scorers.judges.rules_index import IndexedPassage, Reading
from scorers.judges.rules_support import Comparison, Place
from scorers.text.figures import Figure
from scorers.text.terms import stem

_SAME_SUBJECT = 0.6
_LEAST_SHARED = 2


def clash(
    claim: Reading, found: Comparison, passages: Sequence[IndexedPassage]
) -> tuple[Figure, Place] | None:
    """Return the claim's figure that a sentence about the same subject gives otherwise, and where.

    Same subject: the sentence holds most of the claim's other words and all of its names. Same
    unit: of what is counted, measured or dated the sentence gives exactly one value.
    """
    words = {word for word in claim.stems if not word.startswith("#")}
    named = {word.stem for run in claim.names for word in run}
    for place in found.best:
        held = found.held[place] & words
        about_it = len(held) >= max(_LEAST_SHARED, _SAME_SUBJECT * len(words)) and named <= held
        for figure in found.numbers_absent if about_it else ():
            if figure.kind == "year" and _relative(passages[place[0]], place):
                continue
            others = _others(figure, passages[place[0]].figures[place[1]], claim.figures)
            if len({other.value for other in others}) == 1:
                return figure, place
    return None


def _relative(passage: IndexedPassage, place: Place) -> bool:
    """Say whether the sentence dates by another date (`this year`): its year may be another's."""
    return place[1] in passage.postings.get(stem("year"), ()) or place[1] in passage.postings.get(
        stem("Jahr"), ()
    )


def _others(figure: Figure, given: Iterable[Figure], claimed: Sequence[Figure]) -> list[Figure]:
    said = {other.value for other in claimed}
    return [
        other
        for other in given
        if other.kind == figure.kind
        and other.value not in said
        and stem(other.unit) == stem(figure.unit)
        and (figure.unit or figure.kind != "quantity")
    ]
