"""The real clock, and its beats."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

from streams.ports import Half, W

BEAT = timedelta(seconds=5)
"""How often marks and ticks are made."""


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


async def beats(every: timedelta = BEAT) -> AsyncIterator[datetime]:
    """Yield the time, again and again."""
    while True:
        await asyncio.sleep(every.total_seconds())
        yield now()


async def keep_time(half: Half[W], beats: AsyncIterator[datetime]) -> None:
    """Let a half do what time makes due, at each beat."""
    async for at in beats:
        await half.beat(at)


async def until(holds: Callable[[], bool], *, every: float = 0.02) -> None:
    """Wait for something that nobody tells of, looking every so many seconds."""
    while not holds():  # noqa: ASYNC110 - a file that grows sets no event
        await asyncio.sleep(every)
