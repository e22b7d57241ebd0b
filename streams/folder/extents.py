"""What the logs of a topic are on a folder log: how long, and where a time begins in them."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from schemas.wire import to_milliseconds
from streams.folder.log import LogReader
from streams.folder.topic import (
    TopicPartition,
    known_topic_id,
    partition_files,
    plain_name,
    records_between,
    topic_id,
)
from streams.replay.planning import Extent, Extents


@dataclass(frozen=True, slots=True)
class FolderExtents:
    """A `Survey` of the files. Rows name their times themselves, so `to` tells no end.

    A topic that has no id yet is given one; without `writes` its id is empty.
    """

    root: Path
    writes: bool = True

    async def extents(self, topic: str, *, from_: datetime | None, to: datetime | None) -> Extents:
        """Return them; a file is read up to its first row that is not older than `from_`."""
        return await asyncio.to_thread(self._extents, topic, from_)

    def _extents(self, topic: str, from_: datetime | None) -> Extents:
        folder = self.root / plain_name(topic)
        files = partition_files(folder)
        if not files:
            return Extents("", {})
        since = None if from_ is None else to_milliseconds(from_)
        identity = topic_id(folder) if self.writes else known_topic_id(folder)
        found = {
            number: _extent(LogReader(file), TopicPartition(topic, number, identity), since)
            for number, file in files.items()
        }
        return Extents(identity, found)


def _extent(log: LogReader, place: TopicPartition, since: int | None) -> Extent:
    log.grow_all()
    oldest = first = None
    for row in records_between(log, 0, log.end, place):
        oldest = row.timestamp if oldest is None else oldest
        if since is None or row.timestamp >= since:
            first = row.offset
            break
    return Extent(0, log.end, first, oldest)


@dataclass(frozen=True, slots=True)
class FileExtents:
    """A `Survey` of one file, the only partition of a topic whose id is its first line's hash.

    Another file of the same name is told apart by it, and one that grew is not.
    """

    file: Path

    async def extents(self, topic: str, *, from_: datetime | None, to: datetime | None) -> Extents:
        """Return them."""
        since = None if from_ is None else to_milliseconds(from_)
        log, place = LogReader(self.file), TopicPartition(topic, 0)
        extent = await asyncio.to_thread(_extent, log, place, since)
        first = b"".join(line.raw for line in log.read(0, rows=1))
        return Extents(blake2b(first, digest_size=16).hexdigest(), {0: extent})
