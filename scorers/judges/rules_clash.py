"""The one thing that rules may call a contradiction: another number for the same thing."""

from collections.abc import Iterable, Sequence

from scorers.judges.rules_index import IndexedPassage, TextFeatures
from scorers.judges.rules_support import ClaimSupport, SentenceRef
from scorers.text.figures import Figure
from scorers.text.terms import stem

_SAME_SUBJECT = 0.6
_LEAST_SHARED = 2


def clash(
    figures: Sequence[Figure],
    claim: TextFeatures,
    found: ClaimSupport,
    passages: Sequence[IndexedPassage],
) -> SentenceRef | None:
    """Return a sentence about the same subject that gives one of the claim's figures otherwise.

    Same subject: the sentence holds most of the claim's other words and all of its names. Same
    unit: of what is counted, measured or dated the sentence gives exactly one other value.
    """
    words = {word for word in claim.stems if not word.startswith("#")}
    named = {word.stem for run in claim.names for word in run}
    for place in found.best if figures else ():
        held = found.held[place] & words
        if len(held) < max(_LEAST_SHARED, _SAME_SUBJECT * len(words)) or not named <= held:
            continue
        relative = _dates_by_another(passages[place[0]], place[1])
        given = passages[place[0]].figures[place[1]]
        for figure in figures:
            others = {other.value for other in _others(figure, given, claim.figures)}
            if len(others) == 1 and not (relative and figure.kind == "year"):
                return place
    return None


def _dates_by_another(passage: IndexedPassage, sentence: int) -> bool:
    """Say whether a sentence may date by another date (`this year`)."""
    return any(sentence in passage.postings.get(stem(word), ()) for word in ("year", "Jahr"))


def _others(figure: Figure, given: Iterable[Figure], claimed: Sequence[Figure]) -> list[Figure]:
    """Return the figures of the same kind and unit, none where the figure itself is given."""
    said = {other.value for other in claimed}
    given = list(given)
    if any(other.value == figure.value for other in given):
        return []
    return [
        other
        for other in given
        if other.kind == figure.kind
        and other.value not in said
        and stem(other.unit) == stem(figure.unit)
        and (figure.unit or figure.kind != "quantity")
    ]
