"""So much a minute: each call is told how long to wait for its turn. Holds no clock."""

from collections.abc import Callable
from dataclasses import dataclass, field

_MINUTE = 60.0


def whole_of_it() -> float:
    """Return the share of a process that is alone."""
    return 1.0


@dataclass(slots=True)
class Pace:
    """Spreads what is taken evenly over time, in the order in which it is asked for.

    `per_minute` None: there is no limit. `share` in (0, 1] is this process's part of it.
    """

    per_minute: float | None
    share: Callable[[], float] = whole_of_it
    _next: float = field(default=0.0, init=False)

    def wait_seconds(self, now: float, amount: float = 1.0) -> float:
        """Take the next turn, and return how far away it is. `now` is any clock's seconds."""
        if self.per_minute is None:
            return 0.0
        turn = max(now, self._next)
        self._next = turn + self._seconds(amount)
        return turn - now

    def correct(self, amount: float) -> None:
        """Take so much more (or less, if negative) than was asked for: it was a guess."""
        if self.per_minute is not None:
            self._next += self._seconds(amount)

    def _seconds(self, amount: float) -> float:
        assert self.per_minute is not None  # noqa: S101 - both callers looked
        return amount * _MINUTE / (self.per_minute * self.share())
