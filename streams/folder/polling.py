"""Reading on as files grow: ask, and where there is nothing, wait a little longer each time."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

from streams.ports import Record

P = TypeVar("P")
Sleep = Callable[[float], Awaitable[object]]

_SHORTEST = 0.001
_LONGEST = 0.1


async def poll(
    take: Callable[[], Sequence[Record]], *, ended: Callable[[], bool], sleep: Sleep
) -> AsyncIterator[Sequence[Record]]:
    """Yield what `take` returns until `ended`; between two empty takes wait 1 to 100 ms."""
    pause = _SHORTEST
    while not ended():
        if batch := take():
            pause = _SHORTEST
            yield batch
            await asyncio.sleep(0)  # a busy log must not keep everyone else from running
        else:
            await sleep(pause)
            pause = min(2 * pause, _LONGEST)


def in_turn(turn: deque[P], read: Callable[[P], list[Record]]) -> list[Record]:
    """Return the records of the next place that has some: whoever had its turn goes last."""
    for _ in range(len(turn)):
        place = turn[0]
        turn.rotate(-1)
        if batch := read(place):
            return batch
    return []
