"""Putting records into partitions of topics, as they are: keys, values, times and headers."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from streams.kafka.connection import Connection
from streams.kafka.emitter import Emitter, Outgoing
from streams.kafka.incidents import Incidents
from streams.kafka.probe import reaching
from streams.ports import Record


@dataclass(frozen=True, slots=True)
class KafkaOutbox:
    """An `Outbox`. What it has returned from is acknowledged by all replicas."""

    emitter: Emitter

    async def fits(self, record: Record) -> bool:
        """Say whether its topic takes a record of that size."""
        return (await self._outgoing(record)).size <= self.emitter.limit(record.topic)

    async def append(self, records: Sequence[Record]) -> None:
        """Write each record. Raises TimeoutError or KafkaError after five minutes."""
        await self.emitter.send([await self._outgoing(record) for record in records])

    async def _outgoing(self, record: Record) -> Outgoing:
        partition = record.partition % await self.emitter.partitions(record.topic)
        to, key, value = record.topic, record.key, record.value
        return Outgoing(to, partition, key, value, record.headers, record.timestamp)


@asynccontextmanager
async def outbox(connection: Connection, topics: Sequence[str]) -> AsyncIterator[KafkaOutbox]:
    """Yield an outbox to topics. Raises ConnectionError where no broker answers."""
    emitter = Emitter(connection, topics, Incidents())
    async with reaching(connection):
        await emitter.__aenter__()
    try:
        yield KafkaOutbox(emitter)
    finally:
        await emitter.__aexit__(None, None, None)
