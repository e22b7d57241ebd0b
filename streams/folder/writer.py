"""Writing to one topic, alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

from streams.folder.line import Headers, write_line
from streams.folder.lock import Lock, acquire
from streams.folder.log import LogWriter
from streams.folder.topic import make_topic, plain_name, topic_id
from streams.partitioning import partition_of


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
        for log in self.logs.values():
            log.close()
        self.lock.release()
