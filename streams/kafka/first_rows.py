"""Which row of a partition comes next, as its log says it: offsets alone do not tell.

Logs have holes: a begin that was deleted, what compaction took, markers of transactions.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from streams.kafka.connection import Connection
from streams.kafka.deadlines import left
from streams.kafka.starting import started
from streams.watch.gaps import Part

ANSWER = timedelta(seconds=2)
"""How long brokers may take to bring the rows."""


@dataclass(frozen=True, slots=True)
class FirstRows:
    """Reads single rows beside the host that reads them all."""

    _reader: AIOKafkaConsumer
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def behind(self, offsets: Mapping[Part, int]) -> dict[Part, int]:
        """Return the first row at or behind the offset of each partition; its end, if none is.

        Partitions of which the broker does not say it are left out.
        """
        found: dict[Part, int] = {}
        with suppress(KafkaError, TimeoutError):
            async with self._turn, asyncio.timeout(ANSWER.total_seconds()):
                await self._find(offsets, found)
        return found

    async def _find(self, offsets: Mapping[Part, int], found: dict[Part, int]) -> None:
        reader, parts = self._reader, {TopicPartition(*part): part for part in offsets}
        reader.assign(list(parts))
        ends = await reader.end_offsets(list(parts))
        for at, part in parts.items():
            reader.seek(at, offsets[part])
        while wanted := [at for at, part in parts.items() if part not in found]:
            batches = await reader.getmany(*wanted, timeout_ms=50, max_records=1)
            for at, rows in batches.items():
                found[parts[at]] = rows[0].offset
            for at in wanted:
                if at not in batches and await reader.position(at) >= ends[at]:
                    found[parts[at]] = max(ends[at], offsets[parts[at]])


@asynccontextmanager
async def first_rows(connection: Connection) -> AsyncIterator[FirstRows]:
    """Yield what reads single rows. Raises KafkaError where no broker answers."""
    reader = await started(connection.reader)
    try:
        yield FirstRows(reader)
    finally:
        await left(reader.stop())
