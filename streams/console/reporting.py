"""What the halves say in the log while they run: how far they are, and what the rates are."""

import asyncio
from datetime import timedelta

import structlog

from streams.pace import now
from streams.ports import Source
from streams.watch.alerts.words import called
from streams.watch.estimates.rates import Rate
from streams.watch.partitions import Watches
from streams.watch.windows import WindowView

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
                log.info(
                    "rate",
                    assistant=assistant,
                    scorer=scorer,
                    window_minutes=window / timedelta(minutes=1),
                    until=at.isoformat(),
                    **figures(view),
                )


def figures(view: WindowView) -> dict[str, float | bool | str | None]:
    """Return what the log says of a window; of the judge's errors only where they are known."""
    said: dict[str, float | bool | str | None] = {"called": called(view)}
    said |= _limited("rate", view.rate())
    if view.accuracy is not None:
        said |= {"judge_tells": view.accuracy.tells} | _limited("corrected", view.corrected())
    return said | {"n": view.n, "coverage": view.coverage}


def _limited(name: str, rate: Rate | None) -> dict[str, float | bool | str | None]:
    if rate is None:
        return {name: None}
    limits = {f"{name}_lower": round(rate.lower, 4), f"{name}_upper": round(rate.upper, 4)}
    return {name: round(rate.value, 4), **limits}
