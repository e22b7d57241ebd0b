"""The keys inside a citation marker: numbers, ranges, labels, ledger tokens, known names."""

# ruff: noqa: RUF001 (letters that look alike are the subject here)

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

LEDGER = re.compile(
    r"(?<!\w)(?:[EGRCVX][0-9]{1,9}|ev1:[sc](?::[0-9A-Fa-f-]{1,80}){3})(?![\w]|\.[0-9])"
)
_NUMBER = re.compile(r"[1-9][0-9]{0,2}")
_RANGE = re.compile(r"([1-9][0-9]{0,2})\s{0,4}[-‐‑‒–—−]\s{0,4}([1-9][0-9]{0,2})")
_LABEL = re.compile(
    r"(document|doc|source|ref|citation)(?:\s{0,4}[:_-]\s{0,4}|\s{1,4}|(?=[0-9]))(\S.{0,80})",
    re.IGNORECASE,
)
_LABELLED_ID = re.compile(r"[\w.-]{1,80}")
_SEPARATOR = re.compile(r"[,;]")
_WIDEST_RANGE = 20


@dataclass(frozen=True, slots=True)
class Cited:
    """What one marker names: keys that the record has, and keys that it has not."""

    keys: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of them: known, then unknown."""
        return self.keys + self.unknown


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """The keys of a record's evidence, and how a marker's words are looked up in them.

    A key is looked up by its spelling, never by position: `[0]` is no citation of the last source.
    """

    exact: frozenset[str]
    folded: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, keys: Iterable[str]) -> "KnownKeys":
        """Return the lookup for these keys."""
        keys = list(keys)
        return cls(frozenset(keys), {key.casefold(): key for key in keys})

    def sort(self, names: Sequence[str]) -> Cited:
        """Part the names into known and unknown, each once, in order."""
        names = list(dict.fromkeys(names))
        return Cited(
            keys=tuple(name for name in names if name in self.exact),
            unknown=tuple(name for name in names if name not in self.exact),
        )

    def read_group(self, content: str) -> Cited | None:
        """Return what a bracket's content cites, None where it is no citation.

        One member that is no key (zero, a year, a decimal, a word) makes it an ordinary bracket.
        """
        if self._opaque(content.strip()):
            return Cited(keys=(content.strip(),))
        names: list[str] = []
        for member in _SEPARATOR.split(content):
            found = self._names(member.strip())
            if not found:
                return None
            names += found
        return self.sort(names)

    def _names(self, member: str) -> list[str]:
        member = member.removeprefix("^")
        if _NUMBER.fullmatch(member) or LEDGER.fullmatch(member):
            return [member]
        if span := _RANGE.fullmatch(member):
            return _expand(member, first=int(span[1]), last=int(span[2]))
        if label := _LABEL.fullmatch(member):
            return self._labelled(label[1].casefold(), label[2])
        return [member] if self._opaque(member) else []

    def _opaque(self, member: str) -> bool:
        """Say whether a known key of no recognisable form stands here, which is no number."""
        return member in self.exact and bool(set(member) - set("0123456789.+-−–, "))

    def _labelled(self, word: str, name: str) -> list[str]:
        """Look up word and id together, then the id alone; unknown only if it holds a digit."""
        for spelling in (word + name.casefold(), name, name.casefold()):
            if spelling in self.exact:
                return [spelling]
            if spelling in self.folded:
                return [self.folded[spelling]]
        span = _RANGE.fullmatch(name)
        numbers = _expand(name, first=int(span[1]), last=int(span[2])) if span else []
        if numbers and self.exact.issuperset(numbers):
            return numbers
        if _LABELLED_ID.fullmatch(name) and any(letter.isdigit() for letter in name):
            return [word + name.casefold()]
        return []


def _expand(spelling: str, *, first: int, last: int) -> list[str]:
    if first <= last < first + _WIDEST_RANGE:
        return [str(number) for number in range(first, last + 1)]
    return [spelling]
