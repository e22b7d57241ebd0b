"""Reading a topic without a group, from its start or now on: it commits nothing, and never ends."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Self

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from streams.kafka.connection import Connection
from streams.kafka.deadlines import left
from streams.kafka.innards import partitions_of
from streams.kafka.records import record_of
from streams.kafka.starting import started
from streams.ports import Record

POLL_MS = 500
"""How long a poll waits for something new."""

log = structlog.get_logger()


@dataclass(slots=True)
class KafkaFollower:
    """Follows all partitions of a topic; with `new_only` what was there before is left out."""

    connection: Connection
    topic: str
    new_only: bool = False
    _reader: AIOKafkaConsumer = field(init=False)
    _ends: dict[TopicPartition, int] = field(default_factory=dict, init=False)
    _next: dict[TopicPartition, int] = field(default_factory=dict, init=False)

    async def __aenter__(self) -> Self:
        self._reader = await started(self.connection.reader)
        parts = [
            TopicPartition(self.topic, n) for n in await partitions_of(self._reader, self.topic)
        ]
        self._reader.assign(parts)
        self._ends = await self._reader.end_offsets(parts)
        begins = await self._reader.beginning_offsets(parts)
        self._next = dict(self._ends if self.new_only else begins)
        for part, offset in self._next.items():
            self._reader.seek(part, offset)
        return self

    async def __aexit__(self, *error: object) -> None:
        await left(self._reader.stop())

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield what comes, each batch of one partition. A broker that is away is waited for."""
        while True:
            try:
                found = await self._reader.getmany(timeout_ms=POLL_MS)
            except KafkaError as error:
                log.warning("follower_waits", topic=self.topic, error=type(error).__name__)
                continue
            for messages in found.values():
                yield [record_of(message) for message in messages]
            for part in self._next:  # markers and compacted rows move it too
                self._next[part] = await self._reader.position(part)

    def passed(self, batch: Sequence[Record]) -> None:
        """Nothing is noted: `caught_up` looks at what was polled before the last poll."""

    def caught_up(self) -> bool:
        """Say whether all that was there at the start was handed out and taken in."""
        return all(self._next[part] >= end for part, end in self._ends.items())
