"""Looking at a cluster's topics from outside any group: nothing is committed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError

from streams.kafka.connection import Connection
from streams.kafka.deadlines import left, within
from streams.kafka.innards import partitions_of
from streams.kafka.starting import started
from streams.ports import Record

PATIENCE = timedelta(seconds=10)
"""For a broker to answer at all."""

ANSWER = timedelta(seconds=5)
"""For one question, and between two batches."""


@dataclass(frozen=True, slots=True)
class KafkaGlance:
    """Reads from the partitions' ends."""

    reader: AIOKafkaConsumer

    async def sizes(self, topic: str) -> Mapping[int, int]:
        """Return how far apart each partition's ends are; compaction leaves fewer records."""
        ends = await self._ends(topic)
        return {part.partition: end - begin for part, (begin, end) in ends.items()}

    async def latest(self, topic: str, rows: int) -> list[Record]:
        """Return the latest records; fewer where a partition brings none for some seconds."""
        ends = {part: ends for part, ends in (await self._ends(topic)).items() if ends[0] < ends[1]}
        if not ends:
            return []
        share = -(-rows // len(ends))
        self.reader.assign(list(ends))
        for part, (begin, end) in ends.items():
            self.reader.seek(part, max(begin, end - share))
        try:
            return await self._read({part: end for part, (_, end) in ends.items()})
        finally:
            self.reader.unsubscribe()

    async def _read(self, ahead: dict[TopicPartition, int]) -> list[Record]:
        found: dict[TopicPartition, list[Record]] = {part: [] for part in ahead}
        wait = int(ANSWER.total_seconds() * 1000)
        while ahead:
            batches = await self.reader.getmany(*ahead, timeout_ms=wait)
            for part, messages in batches.items():
                found[part] += [_record(m) for m in messages if m.offset < ahead[part]]
            reached = {part: await self.reader.position(part) for part in ahead}
            ahead = {part: end for part, end in ahead.items() if reached[part] < end}
            if not batches:
                break
        return list(chain.from_iterable(found[part] for part in sorted(found)))

    async def _ends(self, topic: str) -> dict[TopicPartition, tuple[int, int]]:
        numbers = await within(ANSWER, partitions_of(self.reader, topic))
        parts = [TopicPartition(topic, number) for number in sorted(numbers)]
        if not parts:
            return {}
        begins = await within(ANSWER, self.reader.beginning_offsets(parts))
        ends = await within(ANSWER, self.reader.end_offsets(parts))
        return {part: (begins[part], ends[part]) for part in parts}


def _record(message: ConsumerRecord[bytes, bytes]) -> Record:
    return Record(
        message.topic,
        message.partition,
        message.offset,
        message.key,
        message.value,
        message.timestamp,
        tuple(message.headers),
    )


@asynccontextmanager
async def glance(connection: Connection) -> AsyncIterator[KafkaGlance]:
    """Yield a glance. Raises ConnectionError when no broker answers, or one stops answering."""
    try:
        reader = await started(connection.reader, PATIENCE)
    except (KafkaError, OSError) as error:
        raise ConnectionError(f"no Kafka answers at {connection.servers} ({error})") from error
    try:
        yield KafkaGlance(reader)
    except (KafkaError, TimeoutError) as error:
        raise ConnectionError(f"Kafka at {connection.servers}: {error!r}") from error
    finally:
        await left(reader.stop())
