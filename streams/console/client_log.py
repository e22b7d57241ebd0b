"""What a client library says in its own log, in ours: one line a minute, however loud it is."""

import logging
import time
from collections.abc import Callable

import structlog

EVERY_SECONDS = 60.0


class OnceAMinute(logging.Handler):
    """Hands one warning a minute on, and says how many went untold before it.

    While no broker answers, a client says so several times a second, about each connection.
    """

    def __init__(self, event: str, stopwatch: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.WARNING)
        self._event = event
        self._stopwatch = stopwatch
        self._told_at: float | None = None
        self._untold = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record, or count it."""
        now = self._stopwatch()
        if self._told_at is not None and now - self._told_at < EVERY_SECONDS:
            self._untold += 1
            return
        self._told_at, untold, self._untold = now, self._untold, 0
        said = record.getMessage()
        structlog.get_logger().warning(self._event, said=said, by=record.name, untold=untold)


def quieten(logger: str, event: str) -> None:
    """Have everything below a logger told once a minute, as `event`, and nowhere else."""
    loud = logging.getLogger(logger)
    loud.handlers = [OnceAMinute(event)]
    loud.setLevel(logging.WARNING)
    loud.propagate = False
