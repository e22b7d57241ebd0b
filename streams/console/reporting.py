"""What the halves say in the log while they run: how far they are, and what the rates are."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import timedelta

import structlog

from streams.pace import now
from streams.ports import Source
from streams.watch.partitions import Watches

EVERY = timedelta(minutes=1)

log = structlog.get_logger()


async def say_progress(source: Source, *, every: timedelta = EVERY) -> None:
    """Log how many rows wait in each partition, again and again."""
    while True:
        await asyncio.sleep(every.total_seconds())
        waiting = {str(n): at.end - at.next for n, at in source.progress().items()}
        log.info("progress", rows_waiting=waiting)


async def say_rates(watches: Watches, window: timedelta, *, every: timedelta = EVERY) -> None:
    """Log the rate of each assistant and scorer over a window, again and again."""
    while True:
        await asyncio.sleep(every.total_seconds())
        for watch in watches.partitions.values():
            at = (watch.watermark or now()).replace(second=0, microsecond=0)
            for assistant, scorer in watch.scorers():
                view = watch.window(assistant, scorer, length=window, at=at)
                rate = view.rate()
                log.info(
                    "rate",
                    assistant=assistant,
                    scorer=scorer,
                    window_minutes=window / timedelta(minutes=1),
                    until=at.isoformat(),
                    bad=None if rate is None else round(rate.value, 4),
                    lower=None if rate is None else round(rate.lower, 4),
                    upper=None if rate is None else round(rate.upper, 4),
                    n=view.n,
                    coverage=view.coverage,
                )


@asynccontextmanager
async def beside(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Let work go on while something else does, and end it with that. If it fails, both fail."""
    async with asyncio.TaskGroup() as tasks:
        task = tasks.create_task(work)
        try:
            yield
        finally:
            task.cancel()
