"""What a test does to a cluster beside the code under test: topics, rows, and looking at both."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, UnknownTopicOrPartitionError

from streams.address import Topics
from streams.kafka.connection import Connection, Worker
from streams.kafka.innards import partitions_of
from streams.ports import Record
from tests.kafka.waiting import eventually


def a_connection(servers: str, *, slot: str = "0", pid: int = 1) -> Connection:
    return Connection(servers, Worker("test", slot, pid))


@asynccontextmanager
async def admin_of(servers: str) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=servers)
    await admin.start()
    try:
        yield admin
    finally:
        await admin.close()


async def make_topics(
    servers: str, names: Sequence[str], *, partitions: int = 1, copies: int = 1, **config: str
) -> None:
    """Make topics, and return when every partition has a leader."""
    settings = {name.replace("_", "."): value for name, value in config.items()}
    async with admin_of(servers) as admin:
        for name in names:

            async def made(name: str = name) -> bool:
                topic = NewTopic(name, partitions, copies, topic_configs=settings)
                with suppress(TopicAlreadyExistsError):  # an older one is still being deleted
                    await admin.create_topics([topic])
                    return True
                return False

            await eventually(made)
        await eventually(lambda: _led(admin, names, partitions))


async def wait_for_leaders(servers: str, names: Sequence[str], *, partitions: int) -> None:
    """Return once every partition of the topics, made by somebody else, has a leader."""
    async with admin_of(servers) as admin:
        await eventually(lambda: _led(admin, names, partitions))


async def alter(admin: AIOKafkaAdminClient, topic: str, **config: str) -> None:
    """Change settings of a topic."""
    settings = {name.replace("_", "."): value for name, value in config.items()}
    await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, settings)])


async def _led(admin: AIOKafkaAdminClient, names: Sequence[str], partitions: int) -> bool:
    found = await admin.describe_topics(list(names))
    return all(
        topic["error_code"] == 0
        and len(topic["partitions"]) == partitions
        and all(part["leader"] >= 0 for part in topic["partitions"])
        for topic in found
    )


async def in_sync(servers: str, topic: str, *, copies: int) -> bool:
    """Say whether every partition has a leader and all of its replicas: a node may go then."""
    try:
        async with admin_of(servers) as admin:
            (found,) = await admin.describe_topics([topic])
    except KafkaError:
        return False
    return all(len(part["isr"]) == copies and part["leader"] >= 0 for part in found["partitions"])


async def make_all(servers: str, topics: Topics, *, partitions: int = 1) -> None:
    """Make all of our topics."""
    await make_topics(servers, names_of(topics), partitions=partitions)


def names_of(topics: Topics) -> list[str]:
    return [
        topics.traces,
        topics.scores,
        topics.marks,
        topics.windows,
        topics.alerts,
        topics.runs,
        topics.dead,
    ]


async def delete_topics(servers: str, names: Sequence[str]) -> None:
    async with admin_of(servers) as admin:
        with suppress(UnknownTopicOrPartitionError):
            await admin.delete_topics(list(names))

        async def gone() -> bool:
            return not set(names) & set(await admin.list_topics())

        await eventually(gone)


@asynccontextmanager
async def producer_of(servers: str, **settings: object) -> AsyncIterator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(bootstrap_servers=servers, acks="all", **settings)
    await producer.start()
    try:
        yield producer
    finally:
        await producer.stop()


async def put(
    servers: str, topic: str, values: Sequence[bytes], *, partition: int = 0, **settings: object
) -> None:
    """Write values to a partition, as a producer would."""
    async with producer_of(servers, **settings) as producer:
        sent = [await producer.send(topic, value, partition=partition) for value in values]
        for future in sent:
            await future


async def read_all(servers: str, topic: str) -> list[Record]:
    """Return what a topic has now, partition after partition."""
    reader = AIOKafkaConsumer(
        bootstrap_servers=servers, auto_offset_reset="earliest", isolation_level="read_committed"
    )
    await reader.start()
    try:
        numbers = sorted(await partitions_of(reader, topic))
        parts = [TopicPartition(topic, number) for number in numbers]
        reader.assign(parts)
        ends = await reader.end_offsets(parts)
        found: list[Record] = []
        for part in parts:
            while await reader.position(part) < ends[part]:
                batch = await reader.getmany(part, timeout_ms=100)
                found += [
                    Record(
                        topic, m.partition, m.offset, m.key, m.value, m.timestamp, tuple(m.headers)
                    )
                    for m in batch.get(part, [])
                ]
        return found
    finally:
        await reader.stop()


async def commits_of(servers: str, group: str, topic: str) -> Mapping[int, tuple[int, str]]:
    """Return what a group has committed of a topic: offset and metadata by partition."""
    async with admin_of(servers) as admin:
        found = await admin.list_consumer_group_offsets(group)
        return {
            at.partition: (committed.offset, committed.metadata)
            for at, committed in found.items()
            if at.topic == topic and committed.offset >= 0
        }
