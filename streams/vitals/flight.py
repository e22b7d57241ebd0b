"""What is under way: a half that times its own work, and slows down where memory is short."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Generic

from streams.ports import Half, Record, W


def never() -> bool:
    """Say that memory is not short."""
    return False


@dataclass(slots=True)
class Flight(Generic[W]):
    """A `Half` around another. While `tight` says so, work begins one row at a time.

    What has begun goes on, and what waits holds its place, so that soon no more is admitted. One at
    a time still moves: memory that was freed may look taken for long.
    """

    half: Half[W]
    tight: Callable[[], bool] = never
    stopwatch: Callable[[], float] = time.monotonic
    finished: int = 0
    _begun: dict[int, float] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=count)
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def rows(self) -> int:
        """How many rows are under way, or wait for room."""
        return len(self._begun)

    @property
    def oldest(self) -> float:
        """For how many seconds the oldest of them has been; 0 without any."""
        return self.stopwatch() - next(iter(self._begun.values()), self.stopwatch())

    def admit(self, batch: Sequence[Record]) -> Sequence[tuple[Record, W]]:
        """Admit as the half does."""
        return self.half.admit(batch)

    async def finish(self, record: Record, work: W) -> None:
        """Do the work, and note how long it is under way."""
        number = next(self._numbers)
        self._begun[number] = self.stopwatch()
        try:
            if self.tight():
                async with self._alone:
                    await self.half.finish(record, work)
            else:
                await self.half.finish(record, work)
            self.finished += 1
        finally:
            del self._begun[number]

    @property
    def due(self) -> bool:
        """Say what the half says."""
        return self.half.due

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Settle as the half does."""
        await self.half.settle(now, everything=everything)

    async def beat(self, now: datetime) -> None:
        """Do what time makes due for the half."""
        await self.half.beat(now)
