"""A passage prepared once, so that many claims can be compared with it cheaply."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorers.text.figures import Figure, figures
from scorers.text.names import names
from scorers.text.scales import NUMBER_WORDS, ONES, TENS
from scorers.text.sentences import sentences
from scorers.text.terms import SMALL_WORDS, Term, terms

_HEAD = 5


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """What can be compared of a text: its content words, figures and names.

    `spelled` are the numbers that stand there as words, by where each begins.
    """

    stems: tuple[str, ...]
    figures: tuple[Figure, ...]
    names: tuple[tuple[Term, ...], ...]
    words: tuple[Term, ...]
    spelled: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class IndexedPassage:
    """A passage by sentences: where each stands, and which of them hold a stem or a figure."""

    text: str
    spans: tuple[tuple[int, int], ...]
    postings: Mapping[str, tuple[int, ...]]
    heads: Mapping[str, tuple[int, ...]]
    pairs: frozenset[tuple[str, str]]
    figures: Mapping[int, tuple[Figure, ...]]
    values: frozenset[tuple[str, float]]
    initials: str


def read(text: str) -> TextFeatures:
    """Read a claim as it is compared."""
    words = tuple(terms(text))
    return _reading(text, words, tuple(tuple(run) for run in names(text, words)))


def _reading(
    text: str, words: tuple[Term, ...], named: tuple[tuple[Term, ...], ...] = ()
) -> TextFeatures:
    found = tuple(figures(text))
    folded = [word.text.casefold() for word in words]
    spelled = _spelled(words, folded)
    values = {figure.start: figure.value for figure in found} | spelled
    stems = tuple(_content(words, folded, values))
    return TextFeatures(stems=stems, figures=found, names=named, words=words, spelled=spelled)


def _content(
    words: Sequence[Term], folded: Sequence[str], values: Mapping[int, float]
) -> Iterator[str]:
    """Yield the words that carry content; a number is one by its value, however it is spelled."""
    for word, plain in zip(words, folded, strict=True):
        if word.start in values:
            yield f"#{values[word.start]:g}"
        elif not (plain in SMALL_WORDS or plain in ONES or word.text.isdecimal()):
            yield word.stem


def _spelled(words: Sequence[Term], folded: Sequence[str]) -> dict[int, float]:
    """Return the numbers that stand there as words, by where each begins."""
    found: dict[int, float] = {}
    tens: Term | None = None
    for word, plain in zip(words, folded, strict=True):
        if tens is not None and plain in ONES:
            found[tens.start] += ONES[plain]
        elif plain in NUMBER_WORDS:
            found[word.start] = NUMBER_WORDS[plain]
        tens = word if plain in TENS else None
    return found


def head(stem: str) -> str:
    """Return how a word begins that may be a form or a part of another; none for a short one."""
    return stem[:_HEAD] if len(stem) >= _HEAD else ""


def index(text: str) -> IndexedPassage:
    """Return the index of a passage. Linear in its length."""
    spans = tuple(sentences(text))
    postings: defaultdict[str, list[int]] = defaultdict(list)
    heads: defaultdict[str, set[int]] = defaultdict(set)
    pairs: set[tuple[str, str]] = set()
    by_sentence: dict[int, tuple[Figure, ...]] = {}
    values: set[tuple[str, float]] = set()
    initials: list[str] = []
    for number, (start, end) in enumerate(spans):
        sentence = text[start:end]
        reading = _reading(sentence, tuple(terms(sentence)))  # names are looked for by claims alone
        for stem in set(reading.stems):
            postings[stem].append(number)
            if beginning := head(stem):
                heads[beginning].add(number)
        pairs.update(zip(reading.stems, reading.stems[1:], strict=False))
        by_sentence[number] = reading.figures
        values.update(known_values(reading))
        initials.append("".join(word.text[0] for word in reading.words).casefold())
    return IndexedPassage(
        text=text,
        spans=spans,
        postings={stem: tuple(found) for stem, found in postings.items()},
        heads={beginning: tuple(sorted(found)) for beginning, found in heads.items()},
        pairs=frozenset(pairs),
        figures=by_sentence,
        values=frozenset(values),
        initials="\n".join(initials),
    )


def known_values(reading: TextFeatures) -> set[tuple[str, float]]:
    """Return the values that a text gives, by what kind they may be compared as."""
    found: set[tuple[str, float]] = set()
    for figure in reading.figures:
        for value in (figure.value, figure.also):
            if value is not None:
                found.add((comparable(figure), value))
    found.update(("number", value) for value in reading.spelled.values())
    return found


def comparable(figure: Figure) -> str:
    """Return what a figure may be compared with: a year may be written as a number, and so on."""
    return {"day": "day", "time": "time"}.get(figure.kind, "number")
