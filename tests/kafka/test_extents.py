"""Kafka under the suite of surveys, and what only its logs do."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from streams.address import Topics
from streams.kafka.extents import KafkaExtents, surveying
from streams.pace import now
from tests.kafka.cluster_admin import (
    a_connection,
    admin_of,
    delete_topics,
    make_topics,
    names_of,
    put,
)
from tests.kafka.processes import traces
from tests.kafka.test_ports import KafkaLog
from tests.streams.ports.extents import ExtentsSuite
from tests.streams.ports.log import TOPICS, Log

pytestmark = pytest.mark.service


@pytest.fixture
async def survey(kafka: str) -> AsyncIterator[KafkaExtents]:
    async with surveying(a_connection(kafka)) as found:
        yield found


class TestKafka(ExtentsSuite):
    @pytest.fixture
    async def log(self, kafka: str) -> AsyncIterator[Log]:
        await delete_topics(kafka, names_of(TOPICS))
        yield KafkaLog(kafka)
        await delete_topics(kafka, names_of(TOPICS))

    @pytest.fixture
    async def survey(self, kafka: str) -> AsyncIterator[KafkaExtents]:
        async with surveying(a_connection(kafka)) as found:
            yield found


@pytest.mark.parametrize(("kind", "beyond"), [("LogAppendTime", 0), ("CreateTime", None)])
async def test_only_times_that_the_broker_gave_tell_where_all_rows_are_later(
    kafka: str, topics: Topics, survey: KafkaExtents, kind: str, beyond: int | None
) -> None:
    await make_topics(kafka, [topics.traces], message_timestamp_type=kind)
    await put(kafka, topics.traces, traces(5))

    at = now() - timedelta(hours=3)
    found = await survey.extents(topics.traces, from_=at, to=at + timedelta(hours=1))

    assert found.partitions[0][1:] == (5, 0, found.partitions[0].oldest, beyond)


async def test_a_log_that_was_cut_begins_where_its_oldest_row_is(
    kafka: str, topics: Topics, survey: KafkaExtents
) -> None:
    await make_topics(kafka, [topics.traces])
    await put(kafka, topics.traces, traces(5))
    later = now()
    await put(kafka, topics.traces, traces(5))
    async with admin_of(kafka) as admin:
        await admin.delete_records({TopicPartition(topics.traces, 0): RecordsToDelete(7)})

    extent = (await survey.extents(topics.traces, from_=None, to=None)).partitions[0]

    assert (extent.begin, extent.end, extent.first) == (7, 10, 7)
    assert (extent.oldest or 0) >= int(later.timestamp() * 1000)
