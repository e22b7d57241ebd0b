"""Waiting for what another process or broker will do: always for a condition, with a deadline."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable


async def eventually(
    holds: Callable[[], bool | Awaitable[bool]], *, within: float = 30, every: float = 0.05
) -> None:
    """Return once the condition holds. Fails the test after `within` seconds."""
    async with asyncio.timeout(within):
        while not await _asked(holds):  # noqa: ASYNC110 - it happens in another process
            await asyncio.sleep(every)


async def _asked(holds: Callable[[], bool | Awaitable[bool]]) -> bool:
    answer = holds()
    return await answer if inspect.isawaitable(answer) else answer
