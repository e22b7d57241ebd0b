"""Rows that come through a pipe: handed out as they come, and once."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from schemas.wire import to_milliseconds
from streams.folder.faults import LogFaultError
from streams.folder.line import blank, read_line
from streams.folder.log import MAX_LINE
from streams.ports import Clock, Progress, Record

_CHUNK = 256 * 1024


@dataclass(slots=True)
class Piped:
    """A `Source` whose rows are partition 0 of a topic. A row that names no time came now.

    `open_pipe` gives a pipe, a socket or a terminal. The last line needs no line feed.
    """

    open_pipe: Callable[[], BinaryIO]
    topic: str
    clock: Clock
    max_line: int = MAX_LINE
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield what has come, in whole lines. Raises LogFaultError for a line without an end."""
        offset, begun = 0, b""
        reader, transport = await _connected(self.open_pipe())
        with closing(transport):
            while chunk := await self._next(reader):
                *lines, begun = (begun + chunk).split(b"\n")
                if len(begun) > self.max_line:
                    raise LogFaultError(f"line {offset + len(lines) + 1} does not come to an end")
                if lines:
                    yield self._records(lines, offset)
                    offset += len(lines)
            if begun and not self._stopped.is_set():
                yield self._records([begun], offset)

    async def _next(self, reader: asyncio.StreamReader) -> bytes:
        """Return what comes next; nothing at the end, or once stopped."""
        waits = {asyncio.ensure_future(reader.read(_CHUNK)), asyncio.ensure_future(self._stop())}
        done, left = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for one in left:
            one.cancel()
        return min(one.result() for one in done)  # to be stopped is to read nothing

    async def _stop(self) -> bytes:
        await self._stopped.wait()
        return b""

    def _records(self, lines: Sequence[bytes], offset: int) -> list[Record]:
        now, found = to_milliseconds(self.clock()), []
        for number, raw in enumerate(lines, start=offset):
            if not blank(raw):
                held = read_line(raw.removesuffix(b"\r"))
                at = now if held.timestamp is None else held.timestamp
                at = min(at, now) if held.claimed else at
                found.append(Record(self.topic, 0, number, held.key, held.value, at, held.headers))
        return found

    def open(self, record: Record) -> None:
        """No books are kept."""

    def passed(self, batch: Sequence[Record]) -> None:
        """No books are kept."""

    def done(self, record: Record) -> None:
        """No books are kept."""

    async def owns(self, record: Record) -> bool:
        """Everything is ours."""
        return True

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """No books are kept."""

    def progress(self) -> Mapping[int, Progress]:
        """Nobody can say how much there is still to come."""
        return {}

    @property
    def partitions(self) -> int:
        """A pipe is one."""
        return 1

    def stop(self) -> None:
        """End `batches` at once."""
        self._stopped.set()


async def _connected(pipe: BinaryIO) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    reader = asyncio.StreamReader(limit=_CHUNK)
    loop = asyncio.get_running_loop()
    made = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return reader, made[0]


def pipe(file: Path, topic: str, clock: Clock) -> Piped:
    """Return the rows that come through a named pipe, or `/dev/stdin`."""
    return Piped(lambda: file.open("rb", buffering=0), topic, clock)
