"""A loop that never waits: for tests of time-outs, on machines that may be late themselves."""

import asyncio
import selectors
from collections.abc import Coroutine


class Leaps(selectors.DefaultSelector):
    """Waits for nobody: where nothing is ready, it is at once the time of the next timer."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += max(0.0, timeout or 0.0)
        return super().select(None if timeout is None else 0)


class LeapingLoop(asyncio.SelectorEventLoop):
    """A busy machine makes no call late here: time stands still while there is work."""

    def __init__(self) -> None:
        self._leaps = Leaps()
        super().__init__(self._leaps)

    def time(self) -> float:
        return self._leaps.now


def leaping(work: Coroutine[object, None, None]) -> None:
    """Run it on such a loop."""
    with asyncio.Runner(loop_factory=LeapingLoop) as runner:
        runner.run(work)
