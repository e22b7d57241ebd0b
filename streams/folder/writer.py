"""Writing to one topic, alone."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

import structlog

from streams.folder.line import Headers, write_line
from streams.folder.lock import Lock, acquire
from streams.folder.log import LogReader
from streams.folder.topic import make_topic, plain_name, topic_id
from streams.partitioning import partition_of

log = structlog.get_logger()


@dataclass(slots=True)
class LogWriter:
    """Appends to a partition's file. There must be one only (`TopicWriter` sees to it).

    A batch is handed to the system in one write, and then survives the death of the process. With
    `fsync` it survives the death of the machine, at the price of a disk's round trip a batch.
    """

    path: Path
    fsync: bool = False
    end: int = field(init=False)
    """The offset of the next line."""
    _file: int = field(init=False)

    def __post_init__(self) -> None:
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        reader = LogReader(self.path)
        reader.grow_all()
        self._mend(reader)
        self.end = reader.end

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def _mend(self, reader: LogReader) -> None:
        """End or take back a last line that a killed writer left, so that none is glued to it."""
        if reader.unended:
            os.write(self._file, b"\n")
        elif (at := reader.torn_at) is not None:
            torn = os.fstat(self._file).st_size - at
            log.warning("torn_line_removed", file=str(self.path), bytes=torn)
            os.ftruncate(self._file, at)

    def append(self, lines: Sequence[bytes]) -> None:
        """Append whole lines: all of them, or none where the disk is full. Raises OSError."""
        start = os.fstat(self._file).st_size
        rest = memoryview(b"".join(lines))
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
            if self.fsync:
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, start)
            raise
        self.end += len(lines)


class Entry(NamedTuple):
    """What is to be written. `timestamp` in milliseconds since 1970."""

    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: Headers = ()


@dataclass(frozen=True, slots=True)
class TopicWriter:
    """A topic that this process alone writes to, until `close`."""

    topic: str
    logs: Mapping[int, LogWriter]
    lock: Lock

    @classmethod
    def open(cls, root: Path, topic: str, *, partitions: int = 1, fsync: bool = False) -> Self:
        """Return the writer of a topic, made with so many partitions where it is missing.

        Raises LockedError while another process writes to it.
        """
        folder = root / plain_name(topic)
        lock = acquire(folder / ".writer", what=f"topic {topic}")
        try:
            files = make_topic(folder, partitions=partitions)
            topic_id(folder)
            logs = {number: LogWriter(file, fsync=fsync) for number, file in files.items()}
        except BaseException:
            lock.release()
            raise
        return cls(topic, logs, lock)

    @property
    def partitions(self) -> int:
        """How many partitions the topic has."""
        return len(self.logs)

    def partition_of(self, key: bytes) -> int:
        """Return the partition that a key belongs to."""
        return partition_of(key, self.partitions)

    def end(self, partition: int) -> int:
        """Return the offset that the partition's next entry gets."""
        return self.logs[partition].end

    def append(self, partition: int, entries: Sequence[Entry]) -> None:
        """Append the entries in one write. Raises OSError, and then none was written."""
        lines = [
            write_line(key=e.key, value=e.value, timestamp=e.timestamp, headers=e.headers)
            for e in entries
        ]
        self.logs[partition].append(lines)

    def close(self) -> None:
        """Let another process write."""
        for one in self.logs.values():
            one.close()
        self.lock.release()
