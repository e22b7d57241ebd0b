"""What the logs of a topic are on Kafka: how long, and where a time begins in them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from schemas.wire import to_milliseconds
from streams.kafka.connection import Connection
from streams.kafka.deadlines import ANSWER, left, within
from streams.kafka.innards import partitions_of
from streams.kafka.probe import reaching
from streams.kafka.starting import started
from streams.kafka.topic_ids import topic_ids
from streams.replay.planning import SLACK, Extent, Extents

PATIENCE = timedelta(seconds=10)
"""For a broker to answer at all."""
LOG_APPEND_TIME = 1
"""The kind of a record's time that the broker gave it."""


@dataclass(frozen=True, slots=True)
class KafkaExtents:
    """A `Survey` as of a reader that sees no row before its transaction is committed.

    A log then ends before the first transaction that is open. What is `first` may be the marker of
    a transaction: no row of the times lies before it.
    """

    reader: AIOKafkaConsumer
    admin: AIOKafkaAdminClient

    async def extents(self, topic: str, *, from_: datetime | None, to: datetime | None) -> Extents:
        """Return them; none of a topic that the broker does not know, at once."""
        try:
            return await self._extents(topic, from_, to)
        except (KafkaError, TimeoutError) as error:
            raise ConnectionError(f"Kafka says nothing of the topic {topic}: {error!r}") from error

    async def _extents(self, topic: str, from_: datetime | None, to: datetime | None) -> Extents:
        numbers = await within(ANSWER, partitions_of(self.reader, topic))
        identity = (await within(ANSWER, topic_ids(self.admin, [topic]))).get(topic)
        if not numbers or identity is None:
            return Extents("", {})
        parts = [TopicPartition(topic, number) for number in sorted(numbers)]
        begins = await within(ANSWER, self.reader.beginning_offsets(parts))
        ends = await within(ANSWER, self.reader.end_offsets(parts))
        oldest = await self._at(parts, 0)
        firsts = oldest if from_ is None else await self._at(parts, to_milliseconds(from_))
        beyond = {} if to is None else await self._beyond(parts, to, ends)
        found = {}
        for part in parts:
            old, first = oldest.get(part), firsts.get(part)
            found[part.partition] = Extent(
                begins[part],
                ends[part],
                None if first is None or first[0] >= ends[part] else first[0],
                None if old is None else old[1],
                beyond.get(part),
            )
        return Extents(identity, found)

    async def _at(
        self, parts: Sequence[TopicPartition], at: int
    ) -> dict[TopicPartition, tuple[int, int]]:
        """Return the first offset that is not older, and its time, where a partition has one."""
        asked = dict.fromkeys(parts, max(0, at))
        found = await within(ANSWER, self.reader.offsets_for_times(asked))
        return {
            part: (place.offset, place.timestamp)
            for part, place in found.items()
            if place is not None
        }

    async def _beyond(
        self, parts: Sequence[TopicPartition], to: datetime, ends: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, int]:
        """Return where all rows are later, of the partitions whose rows the broker stamps there."""
        found = await self._at(parts, to_milliseconds(to + SLACK))
        return {
            part: offset
            for part, (offset, _) in found.items()
            if offset < ends[part] and await self._stamped(part, offset)
        }

    async def _stamped(self, part: TopicPartition, offset: int) -> bool:
        self.reader.assign([part])
        self.reader.seek(part, offset)
        wait = int(ANSWER.total_seconds() * 1000)
        rows = (await self.reader.getmany(part, timeout_ms=wait, max_records=1)).get(part, [])
        return bool(rows) and rows[0].timestamp_type == LOG_APPEND_TIME


@asynccontextmanager
async def surveying(connection: Connection) -> AsyncIterator[KafkaExtents]:
    """Yield a survey. Raises ConnectionError when no broker answers."""
    async with AsyncExitStack() as stack:
        async with reaching(connection):
            reader = await started(partial(connection.reader), PATIENCE)
            stack.push_async_callback(lambda: left(reader.stop()))
            admin = await started(connection.admin, PATIENCE)
            stack.push_async_callback(lambda: left(admin.close()))
        yield KafkaExtents(reader, admin)
