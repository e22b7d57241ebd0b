"""Waiting for a client that may never answer: always with a limit, and never by cancelling it.

A cancelled request of aiokafka is not recalled. It may land later all the same, so what was begun
is left to its end, and only our waiting ends.
"""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import TypeVar

T = TypeVar("T")
SHORTLY = timedelta(seconds=1)
ANSWER = timedelta(seconds=5)
"""How long one question to the cluster may take."""


async def settled(task: asyncio.Task[T], limit: timedelta) -> bool:
    """Wait for a task, and say whether it ended in time. It goes on if it did not."""
    await asyncio.wait({task}, timeout=limit.total_seconds())
    return task.done()


async def within(limit: timedelta, work: Coroutine[object, object, T]) -> T:
    """Return what the work returns. Raises TimeoutError at the limit; the work then goes on."""
    task = asyncio.create_task(work)
    try:
        if await settled(task, limit):
            return task.result()
    except asyncio.CancelledError:
        abandon(task)
        raise
    abandon(task)
    raise TimeoutError(f"no answer in {limit.total_seconds():g} s")


async def left(farewell: Coroutine[object, object, object], limit: timedelta = SHORTLY) -> bool:
    """Let a client take its leave, and say whether it did so in time."""
    task = asyncio.create_task(farewell)
    in_time = await settled(task, limit)
    abandon(task)
    return in_time


_ABANDONED: set[asyncio.Task[object]] = set()


def abandon(task: asyncio.Task[T]) -> None:
    """Let a task run on by itself: whatever it comes to is nobody's concern."""
    _ABANDONED.add(task)
    task.add_done_callback(_forget)


def _forget(task: asyncio.Task[object]) -> None:
    _ABANDONED.discard(task)
    if not task.cancelled():
        task.exception()
