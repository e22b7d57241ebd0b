"""Kafka under the suite that every adapter must pass, on a real broker."""

import uuid
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.ports import Record
from streams.subscription import Start, Subscription
from tests.kafka.cluster_admin import (
    a_connection,
    delete_topics,
    make_all,
    names_of,
    producer_of,
    read_all,
)
from tests.streams.ports.log import TOPICS, CommittingSource, Log, Row
from tests.streams.ports.suite import PortsSuite

pytestmark = pytest.mark.service


class KafkaLog:
    """Topics of the suite's names, made anew for each test, and a group that only it has."""

    def __init__(self, servers: str) -> None:
        self.servers = servers
        self.group = f"g{uuid.uuid4().hex[:10]}"
        self.noon = datetime.now(UTC)  # brokers and producers stamp records with the real time

    async def make(self, *, partitions: int) -> None:
        await make_all(self.servers, TOPICS, partitions=partitions)

    async def put(self, rows: Sequence[Row], *, partition: int = 0) -> None:
        async with producer_of(self.servers) as producer:
            sent = [
                await producer.send(
                    TOPICS.traces,
                    row.value,
                    row.key,
                    partition,
                    timestamp_ms=row.timestamp,
                    headers=list(row.headers),
                )
                for row in rows
            ]
            for future in sent:
                await future

    def source(
        self, *, start: Start = "earliest", end_at_end: bool = True, minute: int = 0
    ) -> KafkaSource:
        subscription = Subscription(group=self.group, start=start, end_at_end=end_at_end)
        at = self.noon + timedelta(minutes=minute)
        return KafkaSource(a_connection(self.servers), subscription, lambda: at)

    def sink(self) -> KafkaSink:
        return KafkaSink(a_connection(self.servers), TOPICS, self.group, "0.1.0")

    async def read(self, topic: str) -> list[Record]:
        return await read_all(self.servers, topic)

    async def kill(self, life: CommittingSource) -> None:
        """Let it commit no more. (A real kill -9 is in test_kills.py.)"""
        assert isinstance(life, KafkaSource)
        life._holdings.suspend()


class TestKafka(PortsSuite):
    @pytest.fixture
    async def log(self, kafka: str) -> AsyncIterator[Log]:
        await delete_topics(kafka, names_of(TOPICS))
        yield KafkaLog(kafka)
        await delete_topics(kafka, names_of(TOPICS))
