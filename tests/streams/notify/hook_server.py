"""A receiver of webhooks on 127.0.0.1 that keeps what it is sent, and can refuse it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Hooks:
    """What came, in order. Each of `refusals` answers one request, before the rest is taken.

    One of no bytes never answers; one that ends in `~` goes on sending for ever.
    """

    url: str
    bodies: list[Any] = field(default_factory=list)
    refusals: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def hook_server() -> AsyncIterator[Hooks]:
    hooks = Hooks("")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(
            line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line
        )
        body = await reader.readexactly(int(fields.get(b"content-length", b"0")))
        if hooks.refusals:
            await refuse(writer, hooks.refusals.pop(0))
        else:
            hooks.bodies.append(json.loads(body))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        with suppress(ConnectionError):
            await writer.drain()
        writer.close()

    async def refuse(writer: asyncio.StreamWriter, answer: bytes) -> None:
        writer.write(answer.removesuffix(b"~"))
        if not answer:
            await asyncio.wait_for(stopped.wait(), timeout=30)
        while answer.endswith(b"~") and not stopped.is_set():
            writer.write(b"x" * 65_536)
            await writer.drain()

    stopped = asyncio.Event()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    hooks.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
    try:
        yield hooks
    finally:
        stopped.set()
        server.close()
        await server.wait_closed()
