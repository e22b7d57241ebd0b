"""Sums of panes over ten minutes and over hours, made once and kept until one of them changes.

A rule looks at the same hours every minute. Adding is exact, so a sum of sums is the same sum.
"""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Generic, Protocol, Self, TypeVar

from streams.watch.panes.pane import HOUR, MINUTE, Family, PaneKey

TEN = 10 * MINUTE


class Summand(Protocol):
    """What can be added up."""

    def __add__(self, other: Self, /) -> Self:
        """Both as one."""
        ...

    def closed(self) -> Self:
        """The same without what a sum has no use for."""
        ...


V = TypeVar("V", bound=Summand)

Stretch = tuple[Family, int]


class Sums(Generic[V]):
    """Remembers sums of whole hours and ten minutes. `panes` finds what begins in [start, end)."""

    def __init__(self, panes: Callable[[Family, int, int], Sequence[V]]) -> None:
        self._panes = panes
        self._known: dict[int, dict[Stretch, V | None]] = {TEN: {}, HOUR: {}}

    def forget(self, key: PaneKey) -> None:
        """Forget the sums that a pane is part of."""
        for length, known in self._known.items():
            known.pop((key.family, key.start - key.start % length), None)

    def between(self, family: Family, start: int, end: int) -> list[V]:
        """Return the panes that begin in [start, end), each whole hour or ten minutes as one."""
        found: list[V] = []
        at = start
        while at < end:
            length = _longest(at, end)
            if length in self._known:
                total = self._total(family, at, length)
                found += [] if total is None else [total]
            else:
                found += self._panes(family, at, at + length)
            at += length
        return found

    def _total(self, family: Family, at: int, length: int) -> V | None:
        known = self._known[length]
        if (family, at) not in known:
            known[family, at] = _sum(self._parts(family, at, length))
        return known[family, at]

    def _parts(self, family: Family, at: int, length: int) -> Sequence[V]:
        if length == TEN:
            return self._panes(family, at, at + TEN)
        tens = (self._total(family, ten, TEN) for ten in range(at, at + length, TEN))
        return [total for total in tens if total is not None]


def _longest(at: int, end: int) -> int:
    """Return the longest stretch from an instant that is kept; else up to where one may begin."""
    for length in (HOUR, TEN):
        if at % length == 0 and at + length <= end:
            return length
    return min(end, at - at % TEN + TEN) - at


def _sum(panes: Sequence[V]) -> V | None:
    if not panes:
        return None
    return reduce(add, (pane.closed() for pane in panes))
