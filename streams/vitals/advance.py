"""Noticing that rows wait and nothing moves. Pure."""

from collections.abc import Hashable
from dataclasses import dataclass


@dataclass(slots=True)
class Advance:
    """Knows since when nothing has moved. Times in seconds of one monotonic clock."""

    since: float
    _seen: Hashable = None

    def stands(self, moved: Hashable, *, waits: bool, now: float) -> float:
        """Return for how long rows have waited while `moved` stayed the same; 0 if none wait."""
        if not waits or moved != self._seen:
            self._seen, self.since = moved, now
        return now - self.since
