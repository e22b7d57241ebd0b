"""A way to a broker on which answers can be exchanged for others: a cluster that lies."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.kafka.proxy import free_port

Forge = Callable[[bytes], bytes]
"""An answer without its length and correlation id, and what is passed on in its place."""


@dataclass
class Forger:
    """Listens on `port` and passes on to `target`, both on 127.0.0.1; no TLS.

    `forges` are by the key of the request that is answered, as Kafka numbers them.
    """

    port: int
    target: int = 0
    forges: dict[int, Forge] = field(default_factory=dict)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection's requests and answers on, until either side ends it."""
        try:
            onward, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        asked: dict[bytes, int] = {}
        ways = [
            asyncio.create_task(self._ask(reader, back, asked)),
            asyncio.create_task(self._answer(onward, writer, asked)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            pass
        finally:
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)
            writer.transport.abort()
            back.transport.abort()
            self._tasks.discard(task)

    async def _ask(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: dict[bytes, int]
    ) -> None:
        async for frame in _frames(reader):
            asked[frame[4:8]] = int.from_bytes(frame[:2], "big")
            await _write(writer, frame)

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: dict[bytes, int]
    ) -> None:
        async for frame in _frames(reader):
            number, answer = frame[:4], frame[4:]
            forge = self.forges.get(asked.pop(number))
            await _write(writer, number + (answer if forge is None else forge(answer)))

    async def close(self) -> None:
        """End every connection."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


async def _frames(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    try:
        while True:
            (length,) = struct.unpack(">i", await reader.readexactly(4))
            yield await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return


async def _write(writer: asyncio.StreamWriter, frame: bytes) -> None:
    writer.write(struct.pack(">i", len(frame)) + frame)
    await writer.drain()


@asynccontextmanager
async def forging() -> AsyncIterator[Forger]:
    """Yield a forger that listens; it needs its target before the first client comes."""
    forger = Forger(free_port())
    server = await asyncio.start_server(forger.serve, "127.0.0.1", forger.port)
    try:
        yield forger
    finally:
        server.close()
        await forger.close()
        await server.wait_closed()
