"""Looking at the topics of a folder log; nothing is written, not even a topic's id."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile, zip_longest
from pathlib import Path

from streams.folder.log import LogReader
from streams.folder.topic import (
    TopicPartition,
    is_plain,
    known_topic_id,
    partition_files,
    plain_name,
    read,
    records_between,
)
from streams.ports import Record

_Stretch = tuple[int, LogReader, tuple[int, int]]
"""A partition, its file, and from which line to which."""


@dataclass(frozen=True, slots=True)
class FolderGlance:
    """Reads from the files' ends."""

    root: Path

    async def sizes(self, topic: str) -> Mapping[int, int]:
        """Return how many lines each partition has."""
        return {number: log.end for number, log in await asyncio.to_thread(self._logs, topic)}

    async def latest(self, topic: str, rows: int) -> list[Record]:
        """Return the latest records, in the order of their partitions and offsets."""
        return await asyncio.to_thread(lambda: list(self._latest(topic, rows)))

    async def backwards(self, topic: str) -> AsyncIterator[Sequence[Record]]:
        """Yield the records by stretches of some 256 KiB of each file."""
        logs = await asyncio.to_thread(self._logs, topic)
        stretches = [[(number, log, piece) for piece in log.stretches()] for number, log in logs]
        for some in zip_longest(*stretches):
            yield await asyncio.to_thread(self._read_all, topic, some)

    async def onwards(
        self, topic: str, partition: int, *, since: int = 0
    ) -> AsyncIterator[Sequence[Record]]:
        """Yield a partition's records by stretches of some 256 KiB."""
        begun = False
        for number, log in await asyncio.to_thread(self._logs, topic):
            if number == partition:
                for piece in reversed(log.stretches()):
                    found = await asyncio.to_thread(self._read_all, topic, [(number, log, piece)])
                    if not begun:
                        found = list(dropwhile(lambda record: record.timestamp < since, found))
                    begun = begun or bool(found)
                    yield found

    async def at(self, topic: str, partition: int, offset: int) -> Record | None:
        """Return the record of one line. Rows of a file may bear a name that no topic can have."""
        if not is_plain(topic):
            return None
        found = await asyncio.to_thread(
            lambda: next(read(self.root, topic, partition=partition, offset=offset), None)
        )
        return found if found is not None and found.offset == offset else None

    def _read_all(self, topic: str, stretches: Iterable[_Stretch | None]) -> list[Record]:
        return list(self._read(topic, stretches))

    def _read(self, topic: str, stretches: Iterable[_Stretch | None]) -> Iterator[Record]:
        for number, log, (begin, end) in filter(None, stretches):
            yield from records_between(log, begin, end, self._place(topic, number, log))

    def _place(self, topic: str, number: int, log: LogReader) -> TopicPartition:
        return TopicPartition(topic, number, known_topic_id(log.path.parent))

    def _latest(self, topic: str, rows: int) -> Iterator[Record]:
        logs = self._logs(topic)
        share = -(-rows // max(1, len(logs)))
        for number, log in logs:
            place = self._place(topic, number, log)
            yield from records_between(log, max(0, log.end - share), log.end, place)

    def _logs(self, topic: str) -> list[tuple[int, LogReader]]:
        files = partition_files(self.root / plain_name(topic))
        logs = [(number, LogReader(file)) for number, file in files.items()]
        for _, log in logs:
            log.grow_all()
        return logs
