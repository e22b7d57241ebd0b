"""A judge on 127.0.0.1, as good or as bad as a test wants it: bytes over real sockets."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

Play = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""Writes a reply, or fails to."""

_CLAIM = re.compile(r'"id":(\d+),"claim":')


@dataclass(frozen=True)
class Heard:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was posted."""
        body: dict[str, Any] = json.loads(self.raw)
        return body

    @property
    def step(self) -> str:
        """The name of the reply shape that is asked for."""
        return str(self.body["response_format"]["json_schema"]["name"])

    @property
    def user(self) -> str:
        """What the judge is told."""
        return str(self.body["messages"][1]["content"])

    @property
    def claims(self) -> list[int]:
        """The numbers of the claims that are asked about."""
        return [int(number) for number in _CLAIM.findall(self.user)]


@dataclass
class JudgeServer:
    """Answers each request with what `play` makes of it. Keeps what it heard."""

    play: Callable[[Heard], Play]
    heard: list[Heard] = field(default_factory=list)
    now: int = 0
    most: int = 0
    connections: int = 0
    _server: asyncio.Server | None = None
    _tasks: "set[asyncio.Task[None]]" = field(default_factory=set)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        """The address up to and with the version."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks)
        await self._server.wait_closed()

    def hang_up(self) -> None:
        """Close every connection that is open, as servers do with idle ones."""
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while True:
                heard = await _request(reader)
                self.heard.append(heard)
                self.now += 1
                self.most = max(self.most, self.now)
                try:
                    await self.play(heard)(writer)
                finally:
                    self.now -= 1
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            self._writers.discard(writer)
            writer.close()


async def _request(reader: asyncio.StreamReader) -> Heard:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Heard(first.split(" ")[1], headers, raw)


def reply(body: bytes | str, status: int = 200, *, after: float = 0, **headers: str) -> Play:
    """Reply in full. Underscores in the names of headers stand for dashes."""

    async def play(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(after)
        raw = body.encode() if isinstance(body, str) else body
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        lines = {"content-type": "application/json", "content-length": str(len(raw)), **given}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + raw)

    return play


def completion(
    text: object, *, model: str = "judge-1", finish: str = "stop", **more: object
) -> str:
    """Return a chat completion whose content is the text, or the object as JSON."""
    content = text if isinstance(text, str) or text is None else json.dumps(text)
    return json.dumps(
        {
            "model": model,
            "choices": [{"index": 0, "message": {"content": content}, "finish_reason": finish}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            **more,
        }
    )


def agree(heard: Heard, verdict: str = "yes") -> str:
    """Return a completion that gives every claim of a request the same verdict."""
    verdicts = [{"id": n, "reason": "so", "verdict": verdict} for n in heard.claims]
    return completion({"verdicts": verdicts})


async def hang(writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    await asyncio.Event().wait()


async def half_headers(writer: asyncio.StreamWriter) -> None:
    """Begin an answer, and never come to its body."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: appl")
    await asyncio.Event().wait()


async def a_byte_at_a_time(writer: asyncio.StreamWriter) -> None:
    """Send a body that would take for ever, each byte in time."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.01)


async def endless(writer: asyncio.StreamWriter) -> None:
    """Send a body without an end, as fast as it is taken."""
    writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    while True:
        writer.write(chunk)
        await writer.drain()


def short(body: str, *, by: int) -> Play:
    """Promise a body that is so many bytes longer than the one that comes, and hang up."""

    async def play(writer: asyncio.StreamWriter) -> None:
        raw = body.encode()
        head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(raw) + by}\r\n\r\n"
        writer.write(head.encode() + raw)
        await writer.drain()
        writer.close()
        raise ConnectionResetError

    return play


def long(body: str, *, by: int) -> Play:
    """Promise a body that is so many bytes shorter than the one that comes."""
    return reply(body, content_length=str(len(body.encode()) - by))


async def reset(writer: asyncio.StreamWriter) -> None:
    """Break the connection."""
    writer.transport.abort()
    raise ConnectionResetError
