"""A writer of rows that never pauses, whatever becomes of the brokers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.kafka.emitter import Emitter, Outgoing
from streams.kafka.incidents import Incidents
from tests.fakes import a_trace
from tests.kafka.cluster_admin import a_connection

ROWS_PER_SECOND = 100
TENTH = ROWS_PER_SECOND // 10


def row(number: int) -> bytes:
    """Return a row whose answer tells it apart; one in a hundred cannot be read."""
    if number % 100 == 50:
        return b"not json"
    return a_trace(f"The river is {number} km long.", id=f"{number:032x}").to_json()


@asynccontextmanager
async def written_on(servers: str, topic: str, partitions: int) -> AsyncIterator[None]:
    """Write a hundred rows a second in the background. Ends with all of them acknowledged."""
    stopped = asyncio.Event()

    async def write() -> None:
        number = 0
        async with Emitter(a_connection(servers), [topic], Incidents()) as emitter:
            while not stopped.is_set():
                rows = [(n % partitions, row(n)) for n in range(number, number + TENTH)]
                await emitter.send([Outgoing(topic, part, None, value, ()) for part, value in rows])
                number += TENTH
                await asyncio.sleep(0.1)

    task = asyncio.create_task(write())
    try:
        yield
    finally:
        stopped.set()
        await task
