"""What live traffic says of itself while a replay runs: its marks and its tallies."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Protocol

import structlog

from schemas.mark import Mark
from schemas.tally import Tally
from streams.address import EVENT_ID, LIVE, MODE
from streams.ports import Clock, Record
from streams.replay.politeness import Politeness
from streams.watch.reading import UnreadableMessageError, read_message

TURN = timedelta(seconds=5)
"""How often the share is decided anew: as often as marks come."""


log = structlog.get_logger()


class Followed(Protocol):
    """Yields what comes to some topics, from now on."""

    def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches until cancelled."""
        ...

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that a batch was taken in."""
        ...


async def overhear(
    politeness: Politeness,
    followed: Sequence[Followed],
    *,
    clock: Clock,
    turn: timedelta = TURN,
) -> None:
    """Let what is followed be heard, and the share be decided anew, until cancelled.

    Each change is logged: else nobody could tell why a run stands still.
    """
    async with asyncio.TaskGroup() as tasks:
        for one in followed:
            tasks.create_task(_hear(politeness, one, clock))
        while True:
            await asyncio.sleep(turn.total_seconds())
            before = politeness.factor
            politeness.turn(clock())
            if politeness.factor != before:
                log.info("share_taken", part=politeness.factor, because=politeness.because)


async def _hear(politeness: Politeness, followed: Followed, clock: Clock) -> None:
    async for batch in followed.batches():
        for record in batch:
            message = said_live(record)
            if message is not None:
                politeness.hear(message, clock())
        followed.passed(batch)


def said_live(record: Record) -> Mark | Tally | None:
    """Return the mark or tally of live traffic that a record holds, by its headers; else None."""
    headers = dict(record.headers)
    if headers.get(MODE) != LIVE.encode() or EVENT_ID in headers:
        return None
    try:
        message = read_message(record.value)
    except UnreadableMessageError:
        return None
    return message if isinstance(message, Mark | Tally) else None
