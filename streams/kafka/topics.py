"""Making our topics on a cluster, and looking at those that are there."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from streams.kafka.connection import Connection
from streams.kafka.deadlines import left
from streams.kafka.probe import reaching
from streams.kafka.starting import started
from streams.topics import TopicFound, TopicPlan, faults


class ClusterRefusedError(OSError):
    """The cluster will not do what it was asked for; its reason is the message."""


@asynccontextmanager
async def admin_of(connection: Connection) -> AsyncIterator[AIOKafkaAdminClient]:
    """Yield a client for questions. Raises ConnectionError when no broker answers."""
    async with reaching(connection):
        admin = await started(connection.admin)
    try:
        yield admin
    finally:
        await left(admin.close())


async def found(admin: AIOKafkaAdminClient, names: Sequence[str]) -> dict[str, TopicFound]:
    """Return those of the topics that are there."""
    there = sorted(set(names) & set(await admin.list_topics()))
    if not there:
        return {}
    configs = await _configs(admin, there)
    described = await admin.describe_topics(there)
    for topic in described:
        if code := topic["error_code"]:
            raise for_code(code)(f"{topic['topic']}: cannot be looked at")
    return {
        topic["topic"]: TopicFound(
            partitions=len(topic["partitions"]),
            copies=min(len(part["replicas"]) for part in topic["partitions"]),
            config=configs[topic["topic"]],
        )
        for topic in described
    }


async def _configs(
    admin: AIOKafkaAdminClient, names: Sequence[str]
) -> dict[str, Mapping[str, str]]:
    asked = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names]
    configs: dict[str, Mapping[str, str]] = {}
    answer: Any
    for answer in await admin.describe_configs(asked):
        for code, _, _, name, entries in answer.resources:
            if code:
                raise for_code(code)(f"{name}: its settings cannot be told")
            configs[name] = {key: value for key, value, *_ in entries}
    return configs


async def create(
    admin: AIOKafkaAdminClient, wanted: Sequence[TopicPlan], *, partitions: int, copies: int
) -> list[str]:
    """Make the topics, and return the names of those made. Another's making is no error.

    Raises ClusterRefusedError, which names the topic.
    """
    made = []
    for plan in wanted:
        topic = NewTopic(plan.name, partitions, copies, topic_configs=dict(plan.config))
        try:
            answer: Any = await admin.create_topics([topic])
            for name, code, *detail in answer.topic_errors:
                if code:
                    raise for_code(code)(f"{name}: {' '.join(str(one) for one in detail if one)}")
        except TopicAlreadyExistsError:
            continue
        except KafkaError as error:
            raise ClusterRefusedError(f"{plan.name}: {error}") from error
        made.append(plan.name)
    return made


async def partition_count(connection: Connection, wanted: Sequence[TopicPlan], topic: str) -> int:
    """Return how many partitions a topic has; all that must be like it are looked at, too.

    Raises ClusterRefusedError, which says what is wrong and what mends it.
    """
    alike = [plan for plan in wanted if plan.alike or plan.leads]
    async with admin_of(connection) as admin:
        there = await found(admin, [plan.name for plan in alike])
    for one in faults(alike, there, copies=1, servers=connection.servers):
        raise ClusterRefusedError(f"{one.topic}: {one.fault}; {one.remedy}")
    return there[topic].partitions
