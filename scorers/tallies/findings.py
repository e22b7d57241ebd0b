"""Names and numbers of an answer that its reference does not have: told, and never counted."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from scorers.text.numbers import close_enough, numbers, years

NumberKind = Literal["relative", "year"]

NEAR = 2
"""How many letters a name may differ by and still be the same one, spelled another way."""

MOST_NAMES = 50
MOST_NUMBERS = 200
"""How many different ones are looked at: each is compared with each of the reference."""

_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = frozenset(".!?:\n\u3002")
_SHORTEST_NAME = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of the answer that does not match. `near` is what comes closest to it."""

    kind: Literal["name", "number"]
    found: str
    near: str | None = None

    def row(self) -> JsonValue:
        """Return the finding as events show it."""
        return {"kind": self.kind, "text": self.found, "near": self.near}


def strange_names(answer: str, known: str) -> list[Finding]:
    """Return capitalised words inside the answer's sentences that the known text does not have.

    They are matched exactly first, case aside, then within two letters. A hint, in languages that
    write names in capitals and little else.
    """
    words = {word.casefold() for word in _WORD.findall(known)}
    strange = [name for name in dict.fromkeys(_names(answer)) if name.casefold() not in words]
    return [
        Finding("name", name)
        for name in strange[:MOST_NAMES]
        if not any(_near(name.casefold(), word) for word in words)
    ]


def _names(text: str) -> Iterator[str]:
    """Yield the capitalised words that do not open a sentence."""
    end = 0
    for match in _WORD.finditer(text):
        between, end = text[end : match.start()], match.end()
        opens = match.start() == len(between) or not _SENTENCE_END.isdisjoint(between)
        if match[0][0].isupper() and len(match[0]) >= _SHORTEST_NAME and not opens:
            yield match[0]


def _near(one: str, other: str) -> bool:
    """Say whether the words are within NEAR edits; short ones must be equal."""
    if abs(len(one) - len(other)) > NEAR or min(len(one), len(other)) <= 2 * NEAR:
        return False
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, wanted in enumerate(other, 1):
            cost = min(row[j] + 1, row[j - 1] + 1, previous + (letter != wanted))
            previous, row[j] = row[j], cost
    return row[-1] <= NEAR


def strange_numbers(answer: str, reference: str, *, tolerance: float) -> list[Finding]:
    """Return the answer's numbers and years that come near none of the reference's.

    Numbers may differ by the tolerance, years by one. Where the reference has none of the kind
    there is nothing to compare with, and nothing to tell.
    """
    kinds: tuple[tuple[NumberKind, Sequence[float], Sequence[float]], ...] = (
        ("relative", _different(numbers(answer)), _different(numbers(reference))),
        ("year", _different(years(answer)), _different(years(reference))),
    )
    return [
        Finding("number", _digits(value), _digits(min(known, key=lambda k: abs(k - value))))
        for kind, found, known in kinds
        for value in found
        if known
        and not any(
            close_enough(answer_value=value, reference_value=k, kind=kind, tolerance=tolerance)
            for k in known
        )
    ]


def _different(values: Sequence[float]) -> list[float]:
    return list(dict.fromkeys(values))[:MOST_NUMBERS]


def _digits(value: float) -> str:
    return f"{value:.10g}"


def findings(
    answer: str, reference: str, *, question: str = "", tolerance: float = 0.05
) -> list[Finding]:
    """Return what of the answer does not match. What the question says is known too."""
    names = strange_names(answer, f"{reference}\n{question}")
    return names + strange_numbers(answer, reference, tolerance=tolerance)
