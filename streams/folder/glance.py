"""Looking at the topics of a folder log; nothing is written, not even a topic's id."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from streams.folder.log import LogReader
from streams.folder.topic import (
    Place,
    known_topic_id,
    partition_files,
    plain_name,
    records_between,
)
from streams.ports import Record


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

    def _latest(self, topic: str, rows: int) -> Iterator[Record]:
        logs = self._logs(topic)
        share = -(-rows // max(1, len(logs)))
        for number, log in logs:
            place = Place(topic, number, known_topic_id(log.path.parent))
            yield from records_between(log, max(0, log.end - share), log.end, place)

    def _logs(self, topic: str) -> list[tuple[int, LogReader]]:
        files = partition_files(self.root / plain_name(topic))
        logs = [(number, LogReader(file)) for number, file in files.items()]
        for _, log in logs:
            log.grow_all()
        return logs
