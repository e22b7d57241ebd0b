"""Where panes stand: a mapping of one partition's panes, and the ways to find them without a scan.

The mapping is the state. The index is derived from it, and made anew when a watch half starts; no
answer of a shelf depends on how its index came to be.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, MutableMapping
from typing import Generic, Protocol, Self, TypeVar

from streams.watch.panes.calendar import Calendar
from streams.watch.panes.pane import MINUTE, Family, PaneKey
from streams.watch.panes.stages import STAGES, RetentionStage
from streams.watch.panes.sums import Sums


class Stored(Protocol):
    """What a shelf needs to know of a pane."""

    @property
    def last(self) -> int:
        """The greatest offset in it."""
        ...

    @property
    def final(self) -> bool:
        """Whether it is past its time."""
        ...

    def __add__(self, other: Self, /) -> Self:
        """Both as one."""
        ...

    def closed(self) -> Self:
        """The pane past its time, without what only an open one needs."""
        ...


V = TypeVar("V", bound=Stored)


class Shelf(Generic[V]):
    """Panes of one kind, found by family, by age, and by being open."""

    def __init__(self, panes: MutableMapping[PaneKey, V]) -> None:
        self._panes = panes
        self._times: dict[Family, list[tuple[int, int]]] = {}
        self._children: defaultdict[Family, set[Family]] = defaultdict(set)
        self._open: defaultdict[str, Calendar[PaneKey]] = defaultdict(Calendar)
        self._ageing: defaultdict[tuple[str, int], Calendar[PaneKey]] = defaultdict(Calendar)
        self._sums: Sums[V] = Sums(self.between)
        self.dead = {key for key in panes if self._covered(key)}
        for key, pane in panes.items():
            if key not in self.dead:
                self._note(key, pane)

    def __len__(self) -> int:
        return len(self._panes)

    def items(self) -> list[tuple[PaneKey, V]]:
        """Return all panes but the dead ones: those that a longer one covers."""
        return [(key, pane) for key, pane in self._panes.items() if key not in self.dead]

    def get(self, key: PaneKey) -> V | None:
        """Return a pane."""
        return self._panes.get(key)

    def put(self, key: PaneKey, pane: V) -> None:
        """Write a pane. What has the same last offset as before holds the same rows."""
        before = self._panes.get(key)
        if before is None:
            self._note(key, pane)
        elif pane.final:
            self._open[key.family.run].discard(key.end, key)
        self._panes[key] = pane
        if before is None or before.last != pane.last:
            self._sums.forget(key)

    def drop(self, keys: Iterable[PaneKey]) -> None:
        """Remove panes."""
        for key in sorted(keys):
            del self._panes[key]
            self._sums.forget(key)
            if key in self.dead:
                self.dead.discard(key)
            else:
                self._forget(key)

    def home(self, family: Family, minute: int) -> PaneKey:
        """Return where a minute's rows go: to the longer pane where there is one."""
        for stage in reversed(STAGES[1:]):
            key = PaneKey(family, minute - minute % stage.length, stage.length)
            if key in self._panes:
                return key
        return PaneKey(family, minute, MINUTE)

    def children(self, family: Family) -> list[Family]:
        """Return a total's segments, or the totals (one a series) of a scorer of an assistant."""
        return sorted(self._children.get(family, ()))

    def scorers(self) -> list[Family]:
        """Return each scorer of each assistant in each run that has panes, without a series."""
        return sorted(family for family in self._children if family == parent(family))

    def between(self, family: Family, start: int, end: int) -> list[V]:
        """Return the panes of a family that begin in [start, end), earliest first."""
        times = self._times.get(family, [])
        low, high = bisect_left(times, (start, 0)), bisect_left(times, (end, 0))
        return [self._panes[PaneKey(family, *time)] for time in times[low:high]]

    def pieces(self, family: Family, start: int, end: int) -> list[V]:
        """Return what `between` does, added up as far as that was done before.

        A piece is fit to be read and added, not to be kept: it has no ids.
        """
        return self._sums.between(family, start, end)

    def has(self, family: Family, start: int, end: int) -> bool:
        """Say whether a pane of a family begins in [start, end)."""
        times = self._times.get(family, [])
        at = bisect_left(times, (start, 0))
        return at < len(times) and times[at][0] < end

    def begin(self, run: str) -> int | None:
        """Return when the run's first pane begins."""
        firsts = (times[0][0] for family, times in self._times.items() if family.run == run)
        return min(firsts, default=None)

    def first(self, family: Family) -> int | None:
        """Return when a family's first pane begins."""
        times = self._times.get(family)
        return times[0][0] if times else None

    def open_until(self, run: str, end: int | None) -> list[PaneKey]:
        """Return the run's panes that are not final and end by an instant (None: all)."""
        return sorted(key for _, keys in self._open[run].until(end) for key in keys)

    def aged(self, run: str, stage: RetentionStage, now: int) -> list[tuple[int, list[PaneKey]]]:
        """Return the run's panes of a stage that are due for the next: by where that begins."""
        due = now - stage.age - stage.span
        return [(start, sorted(keys)) for start, keys in self._ageing[run, stage.length].until(due)]

    def of_run(self, run: str) -> list[PaneKey]:
        """Return all panes of a run."""
        return sorted(key for key in self._panes if key.family.run == run)

    def _covered(self, key: PaneKey) -> bool:
        return self.home(key.family, key.start).length > key.length

    def _note(self, key: PaneKey, pane: V) -> None:
        family = key.family
        if family not in self._times:
            self._times[family] = []
            self._children[parent(family)].add(family)
        insort(self._times[family], (key.start, key.length))
        self._ageing[family.run, key.length].add(_covering(key), key)
        if not pane.final:
            self._open[family.run].add(key.end, key)

    def _forget(self, key: PaneKey) -> None:
        family = key.family
        self._open[family.run].discard(key.end, key)
        self._ageing[family.run, key.length].discard(_covering(key), key)
        times = self._times[family]
        del times[bisect_left(times, (key.start, key.length))]
        if not times:
            del self._times[family]
            siblings = self._children[parent(family)]
            siblings.discard(family)
            if not siblings:
                del self._children[parent(family)]


def parent(family: Family) -> Family:
    """Return the total that a segment is part of, or the scorer that a total is a series of."""
    return family._replace(segment="") if family.segment else family._replace(series="")


def _covering(key: PaneKey) -> int:
    """Return where the longer pane begins that will cover this one."""
    stage = next(stage for stage in STAGES if stage.length == key.length)
    return key.start - key.start % stage.span
