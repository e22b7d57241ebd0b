"""How well a claim's words, figures and names are found in passages: one number in [0, 1]."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorers.judges.rules_index import IndexedPassage, TextFeatures, comparable, head
from scorers.text.figures import Figure
from scorers.text.terms import Term, stem

_IN_BEST, _ANYWHERE, _IN_ORDER = 0.55, 0.25, 0.20
_NUMBER_ABSENT, _NAME_ABSENT, _MOST_ABSENT = 0.25, 0.18, 2
_BEST_SENTENCES = 3
_LEAST_ACRONYM = 3
_MANY = 256

SentenceRef = tuple[int, int]
"""A sentence: which passage, and which of its sentences."""


@dataclass(frozen=True, slots=True)
class ClaimSupport:
    """What was found of a claim. `place` is the sentence that holds most of it, None if none.

    `best` are up to three sentences that together hold most of it, `held` the words in each
    sentence that holds any; `words` is how many the claim has.
    """

    support: float
    words: int
    place: SentenceRef | None
    best: tuple[SentenceRef, ...]
    held: Mapping[SentenceRef, set[str]]
    numbers_absent: tuple[Figure, ...]
    names_absent: tuple[str, ...]


def compare(claim: TextFeatures, passages: Sequence[IndexedPassage]) -> ClaimSupport:
    """Compare a claim with the sentences of all passages together."""
    where = _places(claim, passages)
    best = _best(where)
    words = len(set(claim.stems)) or 1
    held = {stem for place in best for stem in where[place]}
    anywhere = {stem for stems in where.values() for stem in stems}
    recall = len(held) / words
    overall = len(anywhere) / words
    numbers = _numbers_absent(claim, passages)
    names = _names_absent(claim, passages, anywhere)
    found = _IN_BEST * recall + _ANYWHERE * overall + _IN_ORDER * _order(claim, passages)
    found -= _NUMBER_ABSENT * min(len(numbers), _MOST_ABSENT)
    found -= _NAME_ABSENT * min(len(names), _MOST_ABSENT)
    return ClaimSupport(
        support=min(1.0, max(0.0, found)),
        words=len(set(claim.stems)),
        place=best[0] if best else None,
        best=tuple(best),
        held=where,
        numbers_absent=tuple(numbers),
        names_absent=tuple(names),
    )


def _places(
    claim: TextFeatures, passages: Sequence[IndexedPassage]
) -> Mapping[SentenceRef, set[str]]:
    """Say which sentences hold which of the claim's words.

    A word that stands nowhere may stand there in another form: then its beginning counts. A word
    that stands in very many sentences is looked for in those that hold the claim's rarer words, and
    in the first of the others: so a claim costs the same however long the passages are.
    """
    where: defaultdict[SentenceRef, set[str]] = defaultdict(set)
    lists = {word: _sentences(word, passages) for word in claim.stems}
    rare_first = sorted(lists, key=lambda word: sum(map(len, lists[word].values())))
    for word in rare_first:
        for n, sentences in lists[word].items():
            if len(sentences) > _MANY:
                for place in [place for place in where if place[0] == n]:
                    if _holds(sentences, place[1]):
                        where[place].add(word)
            for sentence in sentences[:_MANY]:
                where[n, sentence].add(word)
    return where


def _sentences(word: str, passages: Sequence[IndexedPassage]) -> Mapping[int, tuple[int, ...]]:
    """Return the sentences that hold a word, in order, by passage."""
    places = {n: p.postings[word] for n, p in enumerate(passages) if word in p.postings}
    beginning = head(word)
    return places or {n: p.heads[beginning] for n, p in enumerate(passages) if beginning in p.heads}


def _holds(sentences: tuple[int, ...], sentence: int) -> bool:
    at = bisect_left(sentences, sentence)
    return at < len(sentences) and sentences[at] == sentence


def _best(where: Mapping[SentenceRef, set[str]]) -> list[SentenceRef]:
    """Return up to three sentences that together hold the most words, the best first."""
    left = dict(where)
    chosen: list[SentenceRef] = []
    while left and len(chosen) < _BEST_SENTENCES:
        place = max(left, key=lambda p: (len(left[p]), -p[0], -p[1]))
        chosen.append(place)
        covered = left.pop(place)
        left = {p: rest for p, words in left.items() if (rest := words - covered)}
    return chosen


def _order(claim: TextFeatures, passages: Sequence[IndexedPassage]) -> float:
    pairs = set(zip(claim.stems, claim.stems[1:], strict=False))
    if not pairs:
        return 1.0 if any(s in p.postings for s in claim.stems for p in passages) else 0.0
    return sum(any(pair in p.pairs for p in passages) for pair in pairs) / len(pairs)


def _numbers_absent(claim: TextFeatures, passages: Sequence[IndexedPassage]) -> list[Figure]:
    return [figure for figure in claim.figures if not _gives(passages, figure)]


def _gives(passages: Sequence[IndexedPassage], figure: Figure) -> bool:
    kind = comparable(figure)
    wanted = [(kind, value) for value in (figure.value, figure.also) if value is not None]
    return any(value in passage.values for passage in passages for value in wanted)


def _names_absent(
    claim: TextFeatures, passages: Sequence[IndexedPassage], anywhere: set[str]
) -> list[str]:
    absent = []
    for run in claim.names:
        lacking = [word for word in run if not _known(word, passages)]
        if lacking:
            absent.append(" ".join(word.text for word in run))
    return absent


def _known(word: Term, passages: Sequence[IndexedPassage]) -> bool:
    acronym = word.text.replace(".", "").removesuffix("s")
    spelled = acronym.casefold() if acronym.isupper() and len(acronym) >= _LEAST_ACRONYM else None
    return any(
        stem(word.text) in passage.postings or (spelled and spelled in passage.initials)
        for passage in passages
    )
