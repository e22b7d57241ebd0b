"""Connections in small groups: one large pool grows slow, and a pool can get stuck for ever.

httpcore goes through all connections of a pool for each idle one whenever a request begins or ends,
and a call that is cancelled while it connects may take a place with it (httpcore issue 1093). So
there are many pools of a few connections, and one that times out again and again, or may have lost
half of its places, is replaced.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

CONNECTIONS = 8
"""Connections that a lane has at most."""

STUCK = 3
"""Time-outs in a row of a lane's own queue after which it is replaced."""

CUT_OFF = CONNECTIONS // 2
"""Calls of a lane that were cancelled after which it is replaced: each may have cost it a place."""


@dataclass(slots=True)
class Lane:
    """A few connections, and how many calls are on them.

    `stuck`: how often in a row there was none to be had; `cut_off`: calls that were cancelled.
    """

    transport: httpx.AsyncBaseTransport
    busy: int = 0
    stuck: int = 0
    cut_off: int = 0


class Lanes:
    """Gives each call the lane with the fewest calls on it."""

    def __init__(self, in_flight: int, make: Callable[[], httpx.AsyncBaseTransport]) -> None:
        self._make = make
        self._lanes = [Lane(make()) for _ in range(math.ceil(in_flight / CONNECTIONS))]
        self._retired: list[Lane] = []

    @asynccontextmanager
    async def one(self) -> AsyncIterator[httpx.AsyncBaseTransport]:
        """Yield a lane for one call."""
        lane = min(self._lanes, key=_busy)
        lane.busy += 1
        try:
            yield lane.transport
            lane.stuck = 0
        except httpx.PoolTimeout:
            lane.stuck += 1
            self._replace_spent(lane)
            raise
        except asyncio.CancelledError:
            lane.cut_off += 1
            self._replace_spent(lane)
            raise
        finally:
            lane.busy -= 1
            await self._close_retired()

    def _replace_spent(self, lane: Lane) -> None:
        is_spent = lane.stuck >= STUCK or lane.cut_off >= CUT_OFF
        if is_spent and lane in self._lanes:
            self._lanes[self._lanes.index(lane)] = Lane(self._make())
            self._retired.append(lane)

    async def _close_retired(self) -> None:
        """Close what was replaced, once the calls on it have ended."""
        for lane in [lane for lane in self._retired if not lane.busy]:
            self._retired.remove(lane)
            await lane.transport.aclose()

    async def close(self) -> None:
        """Close every connection."""
        for lane in (*self._lanes, *self._retired):
            await lane.transport.aclose()


def _busy(lane: Lane) -> int:
    return lane.busy
