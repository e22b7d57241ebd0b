"""A small TCP proxy between clients and a broker: what crosses it can be held up for ever."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


def free_port() -> int:
    """Return a port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Proxy:
    """Listens on `port` and passes everything on to `target`, both on 127.0.0.1."""

    port: int
    target: int = 0
    silenced: int = 0
    _open: set[asyncio.Event] = field(default_factory=set)
    _tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    def silence(self) -> None:
        """Let the connections that are open now carry nothing any more, without closing them."""
        self.silenced += len(self._open)
        for passes in self._open:
            passes.clear()
        self._open.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection's bytes on, both ways, until either side ends it."""
        try:
            onward, back = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        passes = asyncio.Event()
        passes.set()
        self._open.add(passes)
        ways = [
            asyncio.create_task(_pass_on(reader, back, passes)),
            asyncio.create_task(_pass_on(onward, writer, passes)),
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
            self._open.discard(passes)
            self._tasks.discard(task)

    async def close(self) -> None:
        """End every connection."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, passes: asyncio.Event
) -> None:
    try:
        while data := await reader.read(1 << 16):
            await passes.wait()
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        return


@asynccontextmanager
async def proxied() -> AsyncIterator[Proxy]:
    """Yield a proxy that listens; it needs its target before the first client comes."""
    proxy = Proxy(free_port())
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", proxy.port)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.close()
        await server.wait_closed()
