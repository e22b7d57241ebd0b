"""A server for a few read-only pages: one request a connection, small, and in little time."""

import asyncio
import errno
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus

_HEAD_BYTES = 8192
_SECONDS = 5.0
_AT_ONCE = 32
_END = b"\r\n\r\n"
TEXT = "text/plain; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Page:
    """What a path has to say."""

    body: bytes
    status: HTTPStatus = HTTPStatus.OK
    kind: str = TEXT


Pages = Mapping[str, Callable[[], Awaitable[Page]]]


class ServeError(OSError):
    """The address cannot be listened on."""


class TakenError(ServeError):
    """Somebody listens there already."""


@asynccontextmanager
async def serving(pages: Pages, *, host: str, port: int) -> AsyncIterator[str]:
    """Serve the pages to GET and HEAD; yield the address as `host:port`.

    A request may take 5 s and 8 KiB in all, and 32 may be under way. Raises ServeError, and
    TakenError where the port is in use.
    """
    desk = _Desk(pages)
    try:
        server = await asyncio.start_server(desk.answer, host, port, limit=_HEAD_BYTES)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            variable = f"STREAMGAUGE_SERVE__PORT={port % 65_535 + 1}"
            way_out = f"set serve.port, or {variable} for this process (0: any that is free)"
            raise TakenError(f"{host}:{port} is in use: {way_out}") from error
        raise ServeError(f"{host}:{port} cannot be listened on: {error.strerror}") from error
    try:
        name, number = server.sockets[0].getsockname()[:2]
        yield f"[{name}]:{number}" if ":" in name else f"{name}:{number}"
    finally:
        server.close()
        for task in list(desk.busy):
            task.cancel()
        await asyncio.gather(*desk.busy, return_exceptions=True)


class _Desk:
    """Answers connections."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.busy: set[asyncio.Task[None]] = set()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request, and close."""
        task = asyncio.current_task()
        if task is None or len(self.busy) >= _AT_ONCE:
            writer.transport.abort()
            return
        self.busy.add(task)
        try:
            async with asyncio.timeout(_SECONDS):
                writer.write(await self._reply(reader))
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.CancelledError):
            pass  # whoever is too slow is left, and so is everyone at the end
        finally:
            writer.transport.abort()
            self.busy.discard(task)

    async def _reply(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(_END)
        except asyncio.LimitOverrunError:
            return _written(_said(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE))
        except asyncio.IncompleteReadError:
            return b""
        words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004 - method, path, version
            return _written(_said(HTTPStatus.BAD_REQUEST))
        method, target, _ = words
        if method not in {"GET", "HEAD"}:
            return _written(_said(HTTPStatus.METHOD_NOT_ALLOWED))
        page = self._pages.get(target.partition("?")[0])
        found = await page() if page else _said(HTTPStatus.NOT_FOUND)
        return _written(found, body=method == "GET")


def _said(status: HTTPStatus) -> Page:
    return Page(f"{status.phrase}\n".encode(), status)


def _written(page: Page, *, body: bool = True) -> bytes:
    head = [
        f"HTTP/1.1 {page.status.value} {page.status.phrase}",
        f"Content-Type: {page.kind}",
        f"Content-Length: {len(page.body)}",
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Connection: close",
    ]
    if page.status is HTTPStatus.METHOD_NOT_ALLOWED:
        head.append("Allow: GET, HEAD")
    return "\r\n".join(head).encode() + _END + (page.body if body else b"")
