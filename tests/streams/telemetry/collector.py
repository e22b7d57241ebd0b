"""A collector on 127.0.0.1 that keeps what it is sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def collector(
    *, answers: bool = True, status: str = "200 OK"
) -> AsyncIterator[tuple[str, list[tuple[str, bytes]]]]:
    """Yield the address of what takes OTLP, and what it was sent: the path and the body.

    One that does not answer hangs; another status than 200 refuses.
    """
    taken: list[tuple[str, bytes]] = []
    over = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(head.split("content-length:")[1].split("\r\n")[0])
        taken.append((head.split(" ")[1], await reader.readexactly(length)))
        if answers:
            head = f"HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            writer.write(head.encode())
        else:
            await over.wait()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", taken
    finally:
        over.set()
        server.close()
        await server.wait_closed()
