"""The real clock, and its beats."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

BEAT = timedelta(seconds=5)
"""How often marks and ticks are made (wire contract: every 5 s)."""


def now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


async def beats(every: timedelta = BEAT) -> AsyncIterator[datetime]:
    """Yield the time, again and again."""
    while True:
        await asyncio.sleep(every.total_seconds())
        yield now()
