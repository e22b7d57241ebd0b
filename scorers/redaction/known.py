"""Values that were found once, found again wherever they stand: by their words, in linear time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from scorers.redaction.built_in import Span

_WORD = re.compile(r"\w+")
_MOST_WORDS = 16
"""Longer values are found by their patterns alone."""


@dataclass(slots=True)
class KnownValues:
    """Looks up stretches of whole words. `kinds` has the kind of each, by its first spelling."""

    kinds: dict[str, str] = field(default_factory=dict)
    _lengths: set[int] = field(default_factory=set)

    def add(self, value: str, kind: str) -> None:
        """Remember a value. What stands around its words is not looked for."""
        spans = [found.span() for found in _WORD.finditer(value)]
        if 0 < len(spans) <= _MOST_WORDS:
            self.kinds.setdefault(value[spans[0][0] : spans[-1][1]], kind)
            self._lengths.add(len(spans))

    def copy(self) -> "KnownValues":
        """Return the same values, to which others can be added."""
        return KnownValues(self.kinds.copy(), self._lengths.copy())

    def find(self, text: str) -> Iterator[tuple[Span, str]]:
        """Yield where known values stand, with their kinds."""
        if not self.kinds:
            return
        spans = [found.span() for found in _WORD.finditer(text)]
        for words in self._lengths:
            for (start, _), (_, end) in zip(spans, spans[words - 1 :], strict=False):
                kind = self.kinds.get(text[start:end])
                if kind is not None:
                    yield (start, end), kind
