"""One pane of scores: what a minute's events add up to, and how two panes become one.

An event is a pane of one, so folding it in, making minutes into hours and reading a window are the
same addition. It is exact (integers only), commutative and associative. Times are milliseconds
since 1970 throughout the watch half.
"""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import NamedTuple, TypeVar

from schemas.alert import Exemplar
from schemas.pane import Cell
from schemas.wire import from_milliseconds

SECOND = 1_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

OTHER = "__other__"
"""The segment value that takes the rest once the bound on panes is reached."""

WORST = 5
"""How many exemplars a pane keeps."""


Strata = dict[str, dict[float, Cell]]
"""Sums by stratum and probability."""

Origins = dict[str, tuple[str, ...]]
"""Event ids with the origins (topic, partition and offset) that brought them."""


class Family(NamedTuple):
    """What a pane is about, whenever: the empty segment is the total, the empty run is live.

    A segment is written `name=value`. A ledger has neither scorer, series nor segment.
    """

    assistant: str
    scorer: str = ""
    series: str = ""
    segment: str = ""
    run: str = ""


class PaneKey(NamedTuple):
    """A family's pane of [start, start + length)."""

    family: Family
    start: int
    length: int

    @property
    def end(self) -> int:
        """Return the first instant after the pane."""
        return self.start + self.length


class Speaker(NamedTuple):
    """Which scorer's version, which judge and which model a series is."""

    version: str = ""
    judge: str = ""
    model: str = ""


NOBODY = Speaker()


class Worst(NamedTuple):
    """An answer worth looking at. The natural order puts the worst first, then the latest."""

    fine: bool
    millionths: int
    before: int
    trace_id: str
    span_id: str
    score: float
    label: str

    def exemplar(self) -> Exemplar:
        """Return it as messages carry it."""
        return Exemplar(
            trace_id=self.trace_id,
            span_id=self.span_id or None,
            score=self.score,
            label=self.label,
            at=from_milliseconds(-self.before),
        )


@dataclass(frozen=True, slots=True)
class ScorePane:
    """The sums of the events in a pane. A value: it is replaced, never changed.

    `last` is the greatest offset in it. `ids` are the event ids with the origins that brought them,
    known only while the pane is open. `outcomes` counts by status, and `duplicate`.
    """

    last: int = -1
    final: bool = False
    late: int = 0
    speaker: Speaker = NOBODY
    strata: Strata = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    flags: dict[str, int] = field(default_factory=dict)
    histogram: dict[int, int] = field(default_factory=dict)
    worst: tuple[Worst, ...] = ()
    first_at: int | None = None
    last_at: int | None = None
    ids: Origins = field(default_factory=dict)

    def __add__(self, other: "ScorePane") -> "ScorePane":
        """Return both as one pane; it is final if one of them is."""
        firsts = [at for at in (self.first_at, other.first_at) if at is not None]
        lasts = [at for at in (self.last_at, other.last_at) if at is not None]
        return ScorePane(
            last=max(self.last, other.last),
            final=self.final or other.final,
            late=self.late + other.late,
            speaker=max(self.speaker, other.speaker),
            strata=added_strata(self.strata, other.strata),
            counts=added(self.counts, other.counts),
            outcomes=added(self.outcomes, other.outcomes),
            reasons=added(self.reasons, other.reasons),
            flags=added(self.flags, other.flags),
            histogram=added(self.histogram, other.histogram),
            worst=tuple(sorted(self.worst + other.worst)[:WORST]),
            first_at=min(firsts, default=None),
            last_at=max(lasts, default=None),
            ids=_joined(self.ids, other.ids),
        )

    def closed(self) -> "ScorePane":
        """Return the pane past its time: it forgets whose events it holds."""
        return replace(self, final=True, ids={})


def milliseconds(length: timedelta) -> int:
    """Return a length of time as the watch half counts it."""
    return length // timedelta(milliseconds=1)


K = TypeVar("K")


def added(one: dict[K, int], other: dict[K, int]) -> dict[K, int]:
    """Return the sums by key. Neither argument is changed; either may be the result."""
    if not one or not other:
        return one or other
    total = one.copy()
    for key, number in other.items():
        total[key] = total.get(key, 0) + number
    return total


def added_strata(one: Strata, other: Strata) -> Strata:
    """Return the sums by stratum and probability. Neither argument is changed."""
    if not one or not other:
        return one or other
    total = one.copy()
    for name, cells in other.items():
        known = total.get(name)
        total[name] = cells if known is None else _added_cells(known, cells)
    return total


def _added_cells(one: dict[float, Cell], other: dict[float, Cell]) -> dict[float, Cell]:
    total = one.copy()
    for probability, cell in other.items():
        known = total.get(probability)
        total[probability] = cell if known is None else known + cell
    return total


def _joined(one: Origins, other: Origins) -> Origins:
    if not one or not other:
        return one or other
    both = one | other
    for event_id in one.keys() & other.keys():
        both[event_id] = tuple(sorted({*one[event_id], *other[event_id]}))
    return both
