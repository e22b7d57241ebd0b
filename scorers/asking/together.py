"""Asking several questions at once, and stopping all of them when one fails."""

import asyncio
from collections.abc import Coroutine, Iterable
from contextlib import nullcontext
from typing import TypeVar

T = TypeVar("T")


async def ask_all(
    questions: Iterable[Coroutine[object, None, T]], *, at_once: int | None = None
) -> list[T]:
    """Return the answers in order, begun in order, at most `at_once` under way at any instant.

    On the first error the rest is cancelled and the error raised: asyncio.gather would let the
    others run on, and each of them holds a judge's slot.
    """
    asked = list(questions)
    if len(asked) == 1:
        return [await asked[0]]
    slots = asyncio.Semaphore(at_once) if at_once else nullcontext()

    async def in_turn(question: Coroutine[object, None, T]) -> T:
        async with slots:
            try:
                return await question
            except BaseException:
                # Before the slot is free again: nothing more may begin with it.
                _cancel(tasks)
                raise

    tasks = [asyncio.create_task(in_turn(question)) for question in asked]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        _cancel(tasks)
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
    finally:
        for question in asked:
            question.close()


def _cancel(tasks: Iterable[asyncio.Task[T]]) -> None:
    """Cancel all of them but the one that asks for it."""
    current = asyncio.current_task()
    for task in tasks:
        if task is not current:
            task.cancel()
