"""What runs beside the reading of a topic, and ends it when it fails."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass(slots=True)
class Background:
    """Tasks, and the first error of any of them. Made where an event loop runs."""

    failure: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def keep(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Run something until it ends, fails, or is cancelled."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def fail(self, error: BaseException) -> None:
        """Note an error. Only the first one counts."""
        if not self.failure.done():
            self.failure.set_exception(error)
            with suppress(BaseException):
                self.failure.exception()  # `check` raises it, where anybody still asks

    def check(self) -> None:
        """Raise the first error, if there was one."""
        if self.failure.done():
            self.failure.result()

    def cancel(self) -> None:
        """End all tasks soon."""
        for task in self._tasks:
            task.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.fail(error)
