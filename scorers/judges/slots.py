"""Places for calls under way, as many as are allowed at the moment: a number that may change."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Slots:
    """Lets at most `allowed()` in at once, in the order in which they came.

    Where it falls, nobody inside is disturbed: fewer come in after them.
    """

    allowed: Callable[[], int]
    taken: int = field(default=0, init=False)
    _waiting: deque[asyncio.Future[None]] = field(default_factory=deque, init=False)

    async def __aenter__(self) -> None:
        """Wait for a place."""
        if self.taken < self.allowed() and not self._waiting:
            self.taken += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # a place was given, and nobody will use it
                self.taken -= 1
                self._let_in()
            raise

    async def __aexit__(self, *error: object) -> None:
        """Give the place to who waits."""
        self.taken -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self.taken < self.allowed():
            turn = self._waiting.popleft()
            if not turn.done():
                self.taken += 1
                turn.set_result(None)
