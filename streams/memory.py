"""A source of records that are at hand: the lines of a file, or a list. Commits nothing."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from io import BufferedReader
from itertools import islice
from pathlib import Path

from schemas.wire import to_milliseconds
from streams.ports import Progress, Record

_BATCH = 256


class MemorySource:
    """Yields the records of one partition once, and ends."""

    partitions = 1

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = iter(records)
        self._read = 0
        self._open: set[int] = set()
        self._stopped = False

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield until the last record, or until stopped."""
        while not self._stopped and (batch := list(islice(self._records, _BATCH))):
            yield batch

    def open(self, record: Record) -> None:
        """Note a record with work."""
        self._open.add(record.offset)
        self._read = record.offset + 1

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that a batch is decided."""
        self._read = batch[-1].offset + 1

    def done(self, record: Record) -> None:
        """Note that a record is finished."""
        self._open.discard(record.offset)

    def holds(self, record: Record) -> bool:
        """Say that it is ours."""
        return True

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Nothing is committed."""

    def progress(self) -> Mapping[int, Progress]:
        """Return how far it was read."""
        return {0: Progress(next=min(self._open, default=self._read), end=self._read, epoch=0)}

    def stop(self) -> None:
        """End after this batch."""
        self._stopped = True


def lines_of(path: Path, *, most: int, at: datetime) -> Iterator[Record]:
    """Yield a file's lines as records of a topic named after it; blank lines are skipped.

    `most` bounds what is read of a line (the rest of a longer one is dropped: it will be refused
    for its length). `at` is the timestamp of every record.
    """
    with path.open("rb") as lines:
        offset = 0
        while line := lines.readline(most + 1):
            if len(line) > most and not line.endswith(b"\n"):
                _skip_line(lines)
            if line.strip():
                yield Record(path.name, 0, offset, None, line.strip(), to_milliseconds(at))
            offset += 1


def _skip_line(lines: BufferedReader) -> None:
    while (rest := lines.readline(1 << 16)) and not rest.endswith(b"\n"):
        pass
