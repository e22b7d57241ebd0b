"""Reading one partition's file by line number, as it grows.

A line is there once its line feed is. A last line without one is there if it is a whole JSON object
(many tools write none at the end of a file); else it is torn, and not there yet.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from streams.folder.faults import ShrunkError
from streams.folder.line import holds_object

MAX_LINE = 64 * 1024 * 1024
_CHUNK = 256 * 1024
_BATCH_BYTES = 1024 * 1024
_GROWTH_BYTES = 64 * 1024 * 1024


class NumberedLine(NamedTuple):
    """A line with its offset, without its line feed. A longer one is cut at `max_line` bytes."""

    offset: int
    raw: bytes


@dataclass(slots=True)
class LogReader:
    """Reads a growing file, which need not exist yet. Holds no file open between two calls.

    It knows where every line of about each 256 KiB begins, so that it goes to any offset by
    counting line feeds in one such stretch.
    """

    path: Path
    max_line: int = MAX_LINE
    modified: int = 0
    """When the file was last written, as `grow` found it, in milliseconds since 1970."""
    _size: int = 0
    _scanned: int = 0
    _lines: int = 0
    _whole_tail: bool = False
    _starts: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    _cursor: tuple[int, int] = (0, 0)

    @property
    def end(self) -> int:
        """The number of lines that `grow` has seen: the offset of the next one."""
        return self._lines + self._whole_tail

    def stretches(self) -> list[tuple[int, int]]:
        """Return the log in pieces of some 256 KiB: first offset and end, the last piece first."""
        begins = [offset for offset, _ in self._starts]
        return list(zip(begins, [*begins[1:], self.end], strict=True))[::-1]

    @property
    def torn_at(self) -> int | None:
        """The byte at which a torn last line begins, None where there is none."""
        return None if self._whole_tail or self._size == self._scanned else self._scanned

    @property
    def unended(self) -> bool:
        """Whether the last line is whole and lacks its line feed."""
        return self._whole_tail

    def grow(self) -> bool:
        """Look for new lines, through some 64 MiB; say whether there is more behind them.

        Raises ShrunkError where lines that were there are gone.
        """
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return False
        size, self.modified = found.st_size, found.st_mtime_ns // 1_000_000
        if size == self._size:
            return False
        if size < self._scanned:
            raise ShrunkError(f"{self.path} was cut while it was read: start again")
        with self.path.open("rb", buffering=0) as file:
            self._size = self._count(file, size)
            self._whole_tail = self._size == size and self._ends_whole(file)
        return self._size < size

    def grow_all(self) -> None:
        """Look for new lines until there are none. Takes a second for some gigabytes."""
        while self.grow():
            pass

    def _count(self, file: BinaryIO, size: int) -> int:
        """Count line feeds, and return how far it went.

        It begins with the last unfinished line, always: a writer that restarts may have taken that
        back and have written another.
        """
        file.seek(self._scanned)
        begin = at = self._scanned
        while at < size and (at - begin < _GROWTH_BYTES or self._scanned == begin):
            chunk = file.read(min(_CHUNK, size - at))
            if not chunk:
                break
            if feeds := chunk.count(b"\n"):
                self._lines += feeds
                self._scanned = at + chunk.rindex(b"\n") + 1
                if self._scanned - self._starts[-1][1] >= _CHUNK:
                    self._starts.append((self._lines, self._scanned))
            at += len(chunk)
        return at

    def _ends_whole(self, file: BinaryIO) -> bool:
        tail = self._size - self._scanned
        if not 0 < tail <= self.max_line:
            return False
        file.seek(self._scanned)
        return holds_object(file.read(tail).strip())

    def read(self, offset: int, *, rows: int) -> list[NumberedLine]:
        """Return up to `rows` lines from an offset on, and no more once they are over 1 MiB."""
        lines: list[NumberedLine] = []
        if offset >= self.end:
            return lines
        total = 0
        with self.path.open("rb") as file:
            self._go_to(file, offset)
            while offset < self.end and len(lines) < rows and total < _BATCH_BYTES:
                raw = self._line(file)
                total += len(raw)
                lines.append(NumberedLine(offset, raw))
                offset += 1
            if offset <= self._lines:  # behind an unended line its line feed is still to come
                self._cursor = (offset, file.tell())
        return lines

    def _go_to(self, file: BinaryIO, offset: int) -> None:
        at, position = self._starts[bisect_right(self._starts, (offset, 1 << 63)) - 1]
        if at <= self._cursor[0] <= offset:
            at, position = self._cursor
        file.seek(position)
        while at < offset:
            self._line(file)
            at += 1

    def _line(self, file: BinaryIO) -> bytes:
        raw = line = file.readline(self.max_line)
        while line and not line.endswith(b"\n"):
            line = file.readline(_CHUNK)
        return raw.removesuffix(b"\n").removesuffix(b"\r")
