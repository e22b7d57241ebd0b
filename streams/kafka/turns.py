"""Whose turn it is to be polled, and who has been without room for so long that it pauses. Pure."""

from collections.abc import Collection
from dataclasses import dataclass, field

PATIENCE_SECONDS = 3.0
"""How long a partition may be without room before it pauses: a pause throws its buffer away."""
ENOUGH = 0.5
"""The share of its room that a paused partition must have again."""


@dataclass(slots=True)
class Turns:
    """A fair rotation: whoever was served goes last, and newcomers come first."""

    _order: list[int] = field(default_factory=list)

    def of(self, numbers: Collection[int]) -> list[int]:
        """Return the partitions in the order in which they are to be asked."""
        self._order = [n for n in self._order if n in numbers]
        newcomers = [n for n in numbers if n not in self._order]
        self._order = newcomers + self._order
        return list(self._order)

    def served(self, number: int) -> None:
        """Note that a partition gave rows."""
        self._order.remove(number)
        self._order.append(number)


@dataclass(slots=True)
class Pauses:
    """Which partitions are paused. One resumes only when it has half of its room again."""

    paused: set[int] = field(default_factory=set)
    _full_since: dict[int, float] = field(default_factory=dict)

    def weigh(self, rooms: dict[int, float], *, now: float) -> tuple[list[int], list[int]]:
        """Return who is to pause and who to resume, given each one's share of free room.

        `now` in seconds of a clock that never goes back.
        """
        self._full_since = {
            n: self._full_since.get(n, now) for n, room in rooms.items() if room <= 0
        }
        pause = [
            n
            for n, since in self._full_since.items()
            if n not in self.paused and now - since >= PATIENCE_SECONDS
        ]
        resume = [n for n in self.paused if rooms.get(n, 0) >= ENOUGH]
        self.paused = self.paused.union(pause).difference(resume)
        return pause, resume

    def forget(self) -> None:
        """A rebalance ends all pauses by itself."""
        self.paused.clear()
        self._full_since.clear()
