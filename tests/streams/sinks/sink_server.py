"""A system on 127.0.0.1 that takes scores: it keeps what it is sent, and refuses as it is told."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class System:
    """What was taken, by path. Each of `refusals` (status and headers) answers one request."""

    url: str = ""
    taken: list[tuple[str, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    refusals: list[str] = field(default_factory=list)
    asked: int = 0


@asynccontextmanager
async def system() -> AsyncIterator[System]:
    """Yield such a system."""
    here = System()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        lower = {name.lower(): value for name, value in fields.items()}
        body = json.loads(await reader.readexactly(int(lower["content-length"])))
        here.asked += 1
        status = here.refusals.pop(0) if here.refusals else "200 OK"
        if status == "200 OK":
            here.taken.append((head.split(" ")[1], body))
            here.keys.add(lower.get("authorization", ""))
        said = f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        writer.write(said.encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    here.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield here
    finally:
        server.close()
        await server.wait_closed()
