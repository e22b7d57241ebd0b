"""How many calls an endpoint takes at once: fewer when it keeps saying no, then slowly more again.

A few refusals are ordinary where many share a limit: each call that is refused waits by itself. To
halve on every one would leave a third of the rate at 2 % of refusals.
"""

from collections import deque
from dataclasses import dataclass, field

LOOKED_AT = 200
"""Calls that are remembered."""

TOLERATED = LOOKED_AT // 20
"""Refusals among them that change nothing: 5 %."""


@dataclass(slots=True)
class Concurrency:
    """Halves after more refusals than are tolerated; rises by one after as many good calls."""

    most: int
    allowed: int = field(init=False)
    _refused: deque[bool] = field(init=False)
    _good: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.allowed = self.most
        self._refused = deque(maxlen=LOOKED_AT)

    def note(self, *, refused: bool) -> None:
        """Note how a call ended: with a 429, or in any other way."""
        self._refused.append(refused)
        if refused and sum(self._refused) > TOLERATED:
            self.allowed = max(1, self.allowed // 2)
            self._good = 0
            self._refused.clear()  # what is known is of another number of calls
        elif not refused and self.allowed < self.most:
            self._good += 1
            if self._good >= self.allowed:
                self.allowed += 1
                self._good = 0
