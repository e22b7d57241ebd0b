"""Which rows are worth a judge's time, decided before they are read.

One draw serves all scorers, so what a low rate keeps a higher one keeps too, and a replay keeps the
same rows.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from schemas.rejection import Rejection
from streams.intake.head import Head
from streams.ports import Record
from streams.scoring.drawing import bound_of, drawing

BASE = "base"
"""The stratum of a row that no configured stratum names."""


class Chance(NamedTuple):
    """A scorer that drew a row, and with what probability."""

    scorer: str
    probability: float


class Draw(NamedTuple):
    """What became of a row: whose it is, its stratum, and the scorers that drew it (maybe none).

    `at` is its event time in milliseconds, None where only the record's timestamp is known.
    """

    assistant: str
    stratum: str
    drawn: tuple[Chance, ...]
    at: int | None = None


class Draws(NamedTuple):
    """The draws of a batch: `rest` is what all rows got that `others` (by place) does not name."""

    rest: Draw | None
    others: dict[int, Draw | Rejection]


class Sampler(Protocol):
    """Decides from a record alone, the same way on every worker and in every replay."""

    by: Literal["body", "key"]
    salt: str

    def draws(self, batch: Sequence[Record]) -> Draws:
        """Draw for a whole batch: the hot path, where most rows are left with a hash."""
        ...

    def draw(self, record: Record) -> Draw | Rejection:
        """Return the draw, or why the row cannot be read far enough to be drawn."""
        ...

    def chances(self, stratum: str) -> Mapping[str, float]:
        """Return each scorer's probability in a stratum."""
        ...


@dataclass(frozen=True, slots=True)
class Stratum:
    """Rows that are sampled apart. `when` maps a field of the row to the values that it may have.

    `probability` in (0, 1].
    """

    name: str
    when: Mapping[str, frozenset[str]]
    probability: float

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Say whether a row with these labels belongs here."""
        return all(labels.get(name) in values for name, values in self.when.items())


class _Nested:
    """The scorers of one stratum by falling probability: a draw keeps a leading part of them."""

    def __init__(self, chances: Mapping[str, float]) -> None:
        self.chances = dict(chances)
        ordered = [Chance(*item) for item in sorted(chances.items(), key=lambda c: (-c[1], c[0]))]
        self._bounds = [bound_of(chance.probability) for chance in ordered]
        self._kept = [tuple(ordered[:n]) for n in range(len(ordered) + 1)]
        self.most = self._bounds[0] if ordered else b""

    def kept(self, u: bytes) -> tuple[Chance, ...]:
        """Return the scorers whose probability is above a draw."""
        n = 0
        for bound in self._bounds:
            if u >= bound:
                break
            n += 1
        return self._kept[n]


def nested(probability: float, scorers: Mapping[str, float | None]) -> _Nested:
    """Combine a stratum's probability with each scorer's own: the smaller one counts."""
    return _Nested({name: min(probability, own or 1.0) for name, own in scorers.items()})


@dataclass(slots=True)
class KeySampler:
    """Decides by the record's key (the trace id) and touches no body. One assistant, no strata."""

    salt: str
    probability: float
    assistant: str
    scorers: Mapping[str, float | None]
    by: Literal["body", "key"] = field(default="key", init=False)
    _draw: Callable[[bytes], bytes] = field(init=False)
    _nested: _Nested = field(init=False)
    _passed: Draw = field(init=False)

    def __post_init__(self) -> None:
        self._draw = drawing(self.salt)
        self._nested = nested(self.probability, self.scorers)
        self._passed = Draw(self.assistant, BASE, ())

    def draws(self, batch: Sequence[Record]) -> Draws:
        """Draw for a whole batch."""
        draw, most = self._draw, self._nested.most
        us = [draw(record.key or record.row_id.encode()) for record in batch]
        if min(us) >= most:
            return Draws(self._passed, {})
        return Draws(self._passed, {n: self._drawn(u) for n, u in enumerate(us) if u < most})

    def draw(self, record: Record) -> Draw | Rejection:
        """Draw by the key. A record without one is drawn by the id that its row will get."""
        return self._drawn(self._draw(record.key or record.row_id.encode()))

    def _drawn(self, u: bytes) -> Draw:
        return Draw(self.assistant, BASE, self._nested.kept(u))

    def chances(self, stratum: str) -> Mapping[str, float]:
        """Return each scorer's probability."""
        return self._nested.chances


@dataclass(slots=True)
class BodySampler:
    """Decides by the trace id and the labels in the body, after a partial reading."""

    salt: str
    probability: float
    strata: Sequence[Stratum]
    scorers: Mapping[str, float | None]
    read: Callable[[Record], Head | Rejection]
    by: Literal["body", "key"] = field(default="body", init=False)
    _draw: Callable[[bytes], bytes] = field(init=False)
    _nested: Mapping[str, _Nested] = field(init=False)

    def __post_init__(self) -> None:
        self._draw = drawing(self.salt)
        self._nested = {s.name: nested(s.probability, self.scorers) for s in self.strata} | {
            BASE: nested(self.probability, self.scorers)
        }

    def draws(self, batch: Sequence[Record]) -> Draws:
        """Draw for a whole batch."""
        return Draws(None, {n: self.draw(record) for n, record in enumerate(batch)})

    def draw(self, record: Record) -> Draw | Rejection:
        """Draw by the trace id, with the probability of the first stratum that holds."""
        head = self.read(record)
        if isinstance(head, Rejection):
            return head
        stratum = next((s.name for s in self.strata if s.holds(head.labels)), BASE)
        u = self._draw(head.trace_id.encode())
        return Draw(head.assistant, stratum, self._nested[stratum].kept(u), head.at)

    def chances(self, stratum: str) -> Mapping[str, float]:
        """Return each scorer's probability in a stratum."""
        return self._nested[stratum].chances
