"""The placeholders of one row: the same value has the same one, in whatever field it stands."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from pydantic import JsonValue

from scorers.redaction.built_in import BUILT_IN, plain
from scorers.redaction.known import KnownValues
from scorers.redaction.patterns import OWN, Pattern, pattern

VERSION = "3"
"""Grows when the same text may be hidden in another way: its verdicts are another series then."""

_LITERAL = "literal"
"""The kind of text that looks like a placeholder and came with the row."""

_KINDS = "|".join(kind.upper() for kind in (*BUILT_IN, OWN, _LITERAL))
_BY_CONTEXT = frozenset({"phone", OWN})
"""Kinds that are known by what stands around them too: elsewhere by the value alone."""

PLACEHOLDER = re.compile(rf"\[(?:{_KINDS})_[1-9][0-9]{{0,9}}\]")
_BETWEEN = re.compile(f"({PLACEHOLDER.pattern})")


class Detection(NamedTuple):
    """A value in a text: [start, end), and its kind."""

    start: int
    end: int
    kind: str


class Replacement(NamedTuple):
    """A placeholder in a covered text, and the stretch of the raw text that it stands for."""

    start: int
    end: int
    raw_start: int
    raw_end: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is hidden. `spared` are whole texts that are ours: refusals that the settings list."""

    names: tuple[str, ...]
    spared: frozenset[str] = frozenset()
    patterns: tuple[Pattern, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Read the patterns. Raises PatternError."""
        object.__setattr__(self, "patterns", tuple(map(pattern, dict.fromkeys(self.names))))

    @property
    def settings(self) -> JsonValue:
        """What enters the config hash: a verdict on covered text is another verdict."""
        return {"patterns": [*sorted(set(self.names))], "version": VERSION}

    def veil(self) -> "Veil":
        """Return the placeholders of a row, of which nothing has been seen yet."""
        return Veil(self)


@dataclass(slots=True)
class Veil:
    """Hides the values of one row, and puts them back for whoever may see them.

    Numbers go up in the order in which values are first seen. A text that looks like a placeholder
    is hidden as a value of its own, so that none can be forged.
    """

    redaction: Redaction
    _placeholders: dict[tuple[str, str], str] = field(default_factory=dict)
    _raw: dict[str, str] = field(default_factory=dict)
    _numbers: Counter[str] = field(default_factory=Counter)
    _known: KnownValues = field(default_factory=KnownValues)
    _seen: dict[str, Sequence[Detection]] = field(default_factory=dict)

    def copy(self) -> "Veil":
        """Return a veil with the same placeholders, to which others can be added."""
        return Veil(
            self.redaction,
            self._placeholders.copy(),
            self._raw.copy(),
            self._numbers.copy(),
            self._known.copy(),
        )

    @property
    def used(self) -> bool:
        """Whether anything was found at all."""
        return bool(self._raw)

    def learn(self, texts: Iterable[str]) -> None:
        """See the raw texts of a row, in order, before one is covered: all share their values."""
        for text in texts:
            for found in _merged(self._patterned(text)):
                self._placeholder(found.kind, text[found.start : found.end])

    def cover(self, text: str) -> str:
        """Return raw text without the values."""
        pieces, at = [], 0
        for start, end, kind in self._found(text):
            pieces += [text[at:start], self._placeholder(kind, text[start:end])]
            at = end
        return "".join([*pieces, text[at:]])

    def cover_reply(self, text: str) -> str:
        """Return what a judge wrote without values; the placeholders that it was told stay."""
        pieces = _BETWEEN.split(text)  # every other one is a placeholder
        pieces[::2] = map(self.cover, pieces[::2])
        return "".join(pieces)

    def places(self, text: str) -> list[Replacement]:
        """Return where the placeholders of a raw text stand once it is covered."""
        places, moved = [], 0
        for start, end, kind in self._found(text):
            length = len(self._placeholder(kind, text[start:end]))
            places.append(Replacement(start + moved, start + moved + length, start, end))
            moved += length - (end - start)
        return places

    def lift(self, text: str) -> str:
        """Return covered text with the values put back, each as it was first spelled."""
        return PLACEHOLDER.sub(lambda found: self._raw.get(found[0], found[0]), text)

    def _found(self, text: str) -> list[Detection]:
        known = (Detection(*span, kind) for span, kind in self._known.find(text))
        return _merged(chain(self._patterned(text), known))

    def _patterned(self, text: str) -> Sequence[Detection]:
        if text not in self._seen:
            self._seen[text] = [*self._search(text)]
        return self._seen[text]

    def _search(self, text: str) -> Iterator[Detection]:
        for one in self.redaction.patterns:
            for start, end in one.find(text):
                yield Detection(start, end, one.kind)
        for found in PLACEHOLDER.finditer(text):
            yield Detection(*found.span(), _LITERAL)

    def _placeholder(self, kind: str, value: str) -> str:
        key = kind, plain(kind, value) if kind in BUILT_IN else value
        if key not in self._placeholders:
            self._numbers[kind] += 1
            name = f"[{kind.upper()}_{self._numbers[kind]}]"
            self._placeholders[key], self._raw[name] = name, value
        if kind in _BY_CONTEXT:
            self._known.add(value, kind)
        return self._placeholders[key]


def counted(covered: Iterable[str]) -> dict[str, int]:
    """Return in how many places of covered texts a value was hidden, by its kind."""
    found = chain.from_iterable(map(PLACEHOLDER.finditer, covered))
    kinds = Counter(one[0][1:].partition("_")[0].lower() for one in found)
    del kinds[_LITERAL]
    return dict(sorted(kinds.items()))


def as_told(covered: str, quote: str, lift: Callable[[str], str]) -> str:
    """Return the stretch of a covered text that a quote of the lifted one stands for.

    A value that the quote cuts in two is in it whole, as its placeholder.
    """
    start = lift(covered).find(quote)
    if start < 0:
        return quote
    pieces, at = [], 0
    for n, piece in enumerate(_BETWEEN.split(covered)):  # every other one is a placeholder
        lifted = lift(piece)
        low, high = max(start - at, 0), min(start + len(quote) - at, len(lifted))
        if low < high:
            pieces.append(piece if n % 2 else piece[low:high])
        at += len(lifted)
    return "".join(pieces)


def _merged(found: Iterable[Detection]) -> list[Detection]:
    """Return the stretches from left to right; those that overlap are one, of the first's kind."""
    merged: list[Detection] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if merged and one.start < merged[-1].end:
            end = max(merged[-1].end, one.end)
            merged[-1] = merged[-1]._replace(end=end)
        else:
            merged.append(one)
    return merged
