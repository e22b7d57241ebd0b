"""How far a replay is, how fast it goes, what it has cost: a bar for people, lines elsewhere."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from schemas.run import Spent
from streams.ports import Clock
from streams.ports import Progress as Place
from streams.subscription import Bounds

EVERY = timedelta(seconds=10)
"""How often a line is written."""

RECENT = timedelta(minutes=1)
"""The time by which the speed is told."""

_REDRAWN = timedelta(milliseconds=500)

log = structlog.get_logger()


class Figures(NamedTuple):
    """`done` of `rows`; rows a second lately, and how long the rest takes at that: None at first.

    Rows that nobody drew count as much as those that are judged.
    """

    done: int
    rows: int
    a_second: float | None
    left: timedelta | None


@dataclass(slots=True)
class Course:
    """Tells the speed by where the run was within the last minute. Holds no clock."""

    rows: int
    _been: deque[tuple[datetime, int]] = field(default_factory=deque)

    def at(self, now: datetime, done: int) -> Figures:
        """Return the figures of now."""
        been = self._been
        been.append((now, done))
        while now - been[1 if len(been) > 1 else 0][0] >= RECENT:
            been.popleft()
        began, before = been[0]
        seconds = (now - began).total_seconds()
        if seconds <= 0 or done <= before:
            return Figures(done, self.rows, None, timedelta() if done >= self.rows else None)
        a_second = (done - before) / seconds
        return Figures(done, self.rows, a_second, timedelta(seconds=(self.rows - done) / a_second))


def rows_of(bounds: Mapping[int, Bounds]) -> int:
    """Return how many offsets a run covers."""
    return sum(max(0, at.end - at.start) for at in bounds.values())


def done_of(places: Mapping[int, Place], bounds: Mapping[int, Bounds]) -> int:
    """Return how many of them are worked off."""
    return sum(
        max(0, min(places[number].next, at.end) - at.start)
        for number, at in bounds.items()
        if number in places
    )


async def say_run(  # noqa: PLR0913 - where it is, what it costs, and who is told how often
    places: Callable[[], Mapping[int, Place]],
    bounds: Mapping[int, Bounds],
    spent: Callable[[], Spent],
    *,
    console: Console,
    clock: Clock,
    every: timedelta = EVERY,
) -> None:
    """Show how a run goes until cancelled: on a terminal a bar, elsewhere a log line."""
    course = Course(rows_of(bounds))

    def figures() -> Figures:
        return course.at(clock(), done_of(places(), bounds))

    if console.is_terminal:
        await _draw(figures, spent, console)
        return
    figures()
    while True:
        await asyncio.sleep(every.total_seconds())
        log.info("progress", **logged(figures(), spent()))


def logged(at: Figures, spent: Spent) -> dict[str, int | float | None]:
    """Return what a log line says."""
    minutes = None if at.left is None else round(at.left / timedelta(minutes=1), 1)
    return {
        "rows": at.done,
        "of": at.rows,
        "rows_a_second": None if at.a_second is None else round(at.a_second, 1),
        "minutes_left": minutes,
        "judged": spent.judged,
        "reused": spent.reused,
        "errors": spent.errors,
        "calls": spent.calls,
        "cost_usd": round(spent.cost_usd, 4),
    }


def shown(at: Figures, spent: Spent) -> str:
    """Return what stands beside the bar: as little as can be, for terminals are narrow."""
    parts = [f"{at.done:,} rows", f"{spent.judged:,} judged"]
    parts += [f"{spent.reused:,} reused"] * bool(spent.reused)
    parts += [f"{spent.errors:,} errors"] * bool(spent.errors)
    parts.append(f"${spent.cost_usd:,.2f}")
    if at.a_second is not None:
        parts.append(f"{at.a_second:,.0f}/s")
    if at.left is not None:
        parts.append(f"{timedelta(seconds=round(at.left.total_seconds()))} left")
    return ", ".join(parts)


async def _draw(figures: Callable[[], Figures], spent: Callable[[], Spent], out: Console) -> None:
    columns = (BarColumn(10), TaskProgressColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=out, auto_refresh=False) as bar:
        at = figures()
        task = bar.add_task(shown(at, spent()), total=at.rows)
        try:
            while True:
                await asyncio.sleep(_REDRAWN.total_seconds())
                at = figures()
                bar.update(task, completed=at.done, description=shown(at, spent()), refresh=True)
        finally:
            at = figures()
            bar.update(task, completed=at.done, description=shown(at, spent()), refresh=True)
