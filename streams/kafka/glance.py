"""Looking at a cluster's topics from outside any group: nothing is committed."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import chain

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from streams.kafka.connection import Connection
from streams.kafka.deadlines import ANSWER, left, within
from streams.kafka.innards import partitions_of
from streams.kafka.probe import reaching
from streams.kafka.records import record_of
from streams.kafka.starting import started
from streams.kafka.topic_ids import topic_ids
from streams.ports import Record

PATIENCE = timedelta(seconds=10)
"""For a broker to answer at all."""

WAIT = timedelta(milliseconds=20)
"""For what is not there yet: the next question goes to the broker behind the one that waits."""

STRETCH = 5_000
"""Records of a partition that are read at once, going back."""

_QUIET_MS = int(ANSWER.total_seconds() * 1000)
"""For the next batch of what is there."""


@dataclass(frozen=True, slots=True)
class KafkaGlance:
    """Reads from the partitions' ends."""

    reader: AIOKafkaConsumer
    admin: AIOKafkaAdminClient

    async def sizes(self, topic: str) -> Mapping[int, int]:
        """Return how far apart each partition's ends are; compaction leaves fewer records."""
        ends = await self._ends(topic)
        return {part.partition: end - begin for part, (begin, end) in ends.items()}

    async def latest(self, topic: str, rows: int) -> list[Record]:
        """Return the latest records; fewer where a partition brings none for some seconds."""
        ends = {part: at for part, at in (await self._ends(topic)).items() if at[0] < at[1]}
        share = -(-rows // max(1, len(ends)))
        return await self._read(
            {part: (max(begin, end - share), end) for part, (begin, end) in ends.items()}
        )

    async def backwards(self, topic: str) -> AsyncIterator[Sequence[Record]]:
        """Yield the records by stretches of some thousands of each partition."""
        left = await self._ends(topic)
        while left := {part: at for part, at in left.items() if at[0] < at[1]}:
            begins = {part: max(begin, end - STRETCH) for part, (begin, end) in left.items()}
            yield await self._read({part: (begins[part], left[part][1]) for part in left})
            left = {part: (left[part][0], begins[part]) for part in left}

    async def onwards(
        self, topic: str, partition: int, *, since: int = 0
    ) -> AsyncIterator[Sequence[Record]]:
        """Yield a partition's records by stretches of some thousands."""
        part = TopicPartition(topic, partition)
        at, last = (await self._ends(topic)).get(part, (0, 0))
        if since > 0 and at < last:
            begun = await within(ANSWER, self.reader.offsets_for_times({part: since}))
            at = last if (place := begun[part]) is None else max(at, place.offset)
        while at < last:
            end = min(last, at + STRETCH)
            found = await self._read({part: (at, end)})
            if await self.reader.position(part) < end:
                raise ConnectionError(f"{topic}/{partition} brought nothing for {ANSWER}")
            yield found
            at = end

    async def at(self, topic: str, partition: int, offset: int) -> Record | None:
        """Return one record."""
        part = TopicPartition(topic, partition)
        begin, end = (await self._ends(topic)).get(part, (0, 0))
        if not begin <= offset < end:
            return None
        found = await self._read({part: (offset, offset + 1)})
        return found[0] if found else None

    async def _read(self, stretches: Mapping[TopicPartition, tuple[int, int]]) -> list[Record]:
        """Return the records of each partition from an offset up to another."""
        found: dict[TopicPartition, list[Record]] = {part: [] for part in stretches}
        ahead = {part: end for part, (_, end) in stretches.items()}
        if not ahead:
            return []
        ids = await self._ids({part.topic for part in ahead})
        self.reader.assign(list(ahead))
        for part, (begin, _) in stretches.items():
            self.reader.seek(part, begin)
        while ahead and (batches := await self.reader.getmany(*ahead, timeout_ms=_QUIET_MS)):
            for part, messages in batches.items():
                before = (m for m in messages if m.offset < stretches[part][1])
                found[part] += [record_of(m, ids.get(part.topic, "")) for m in before]
            reached = {part: await self.reader.position(part) for part in ahead}
            ahead = {part: end for part, end in ahead.items() if reached[part] < end}
        return list(chain.from_iterable(found[part] for part in sorted(found)))

    async def _ids(self, topics: Collection[str]) -> Mapping[str, str]:
        """Return the topics' ids, which name the rows that name themselves not."""
        return await within(ANSWER, topic_ids(self.admin, list(topics)))

    async def _ends(self, topic: str) -> dict[TopicPartition, tuple[int, int]]:
        numbers = await within(ANSWER, partitions_of(self.reader, topic))
        parts = [TopicPartition(topic, number) for number in sorted(numbers)]
        if not parts:
            return {}
        begins = await within(ANSWER, self.reader.beginning_offsets(parts))
        ends = await within(ANSWER, self.reader.end_offsets(parts))
        return {part: (begins[part], ends[part]) for part in parts}


@asynccontextmanager
async def glance(connection: Connection) -> AsyncIterator[KafkaGlance]:
    """Yield a glance. Raises ConnectionError when no broker answers, or one stops answering."""
    async with AsyncExitStack() as stack:
        async with reaching(connection):
            reader = await started(partial(connection.reader, wait=WAIT), PATIENCE)
            stack.push_async_callback(lambda: left(reader.stop()))
            admin = await started(connection.admin, PATIENCE)
            stack.push_async_callback(lambda: left(admin.close()))
        try:
            yield KafkaGlance(reader, admin)
        except (KafkaError, TimeoutError) as error:
            raise ConnectionError(f"Kafka at {connection.servers}: {error!r}") from error
