"""Rows that wait while those of other partitions are worked on: each comes once, or not at all.

F14 partition returns · F42 damaged batch · retention · I6 bounded memory
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete
from aiokafka.errors import CorruptRecordException

from streams.address import Topics
from streams.kafka.damage import STEPS
from streams.kafka.held import Held
from streams.kafka.innards import position, rejoin
from streams.kafka.poller import ROUND_BYTES
from streams.kafka.source import KafkaSource
from streams.pace import now
from streams.ports import Record
from streams.subscription import Subscription
from streams.tracker import Tracker
from tests.kafka.cluster_admin import admin_of, make_all, producer_of, put
from tests.kafka.member import connection_of, group_of
from tests.kafka.processes import traces
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


@asynccontextmanager
async def unread(kafka: str, topics: Topics) -> AsyncIterator[KafkaSource]:
    """Yield a member that has its partitions, and reads only when a test asks for the next rows."""
    subscription = Subscription(topic=topics.traces, group=group_of(topics), scores=topics.scores)
    async with KafkaSource(connection_of(kafka), subscription, now) as source:
        yield source


async def filled(kafka: str, topics: Topics, *, partitions: int, rows: int = 10) -> None:
    """Make the topics, and write as many rows to each partition."""
    await make_all(kafka, topics, partitions=partitions)
    for number in range(partitions):
        await put(kafka, topics.traces, traces(rows), partition=number)


async def fetched(source: KafkaSource, partitions: int) -> None:
    """Return once rows of so many partitions are here, and none of them is taken."""
    fetcher: Any = source._consumer._fetcher
    await eventually(lambda: len(fetcher._records) == partitions)


async def come(source: KafkaSource, enough: Callable[[list[Record]], bool]) -> list[Record]:
    """Return all that comes until it is enough."""
    rows: list[Record] = []
    async with asyncio.timeout(20):
        while not enough(rows):
            rows += await source._poller.next()
    return rows


def whole(rows: Sequence[Record], *, partitions: int, upto: int = 10) -> bool:
    """Say whether each partition has come up to there. Fails where a row came out of its turn."""
    offsets = [[row.offset for row in rows if row.partition == n] for n in range(partitions)]
    for mine in offsets:
        assert all(one < other for one, other in pairwise(mine)), mine
    return all(mine and mine[-1] == upto - 1 for mine in offsets)


async def test_rows_that_wait_come_once_when_a_rebalance_brings_their_partition_back(
    kafka: str, topics: Topics
) -> None:
    """F14, and retention passes what waits meanwhile: that is a gap, and no other topic."""
    await filled(kafka, topics, partitions=2)
    async with unread(kafka, topics) as source:
        await fetched(source, 2)
        rows = list(await source._poller.next())
        [waiting] = source._poller._taken
        held, epoch = source._holdings.held[waiting.part.partition], source._holdings.epoch

        async with admin_of(kafka) as admin:
            await admin.delete_records({waiting.part: RecordsToDelete(5)})
        rejoin(source._consumer)
        await eventually(lambda: source._holdings.epoch > epoch and held.reads)
        await put(kafka, topics.traces, traces(5), partition=waiting.part.partition)
        rows += await come(source, lambda more: bool(more) and more[-1].offset == 14)

        assert held.trusted
        assert source._holdings.held[waiting.part.partition] is held
        assert source.incidents.counts["retention_gap"] == 1
    assert [row.offset for row in rows] == [*range(10), *range(5, 15)]


async def test_rows_that_wait_come_once_though_damage_elsewhere_sends_all_back(
    kafka: str, topics: Topics
) -> None:
    """F42"""
    await filled(kafka, topics, partitions=3)
    async with unread(kafka, topics) as source:
        await fetched(source, 3)
        rows = list(await source._poller.next())
        number = rows[0].partition

        await source._poller._damage.failed(
            number, source._holdings.held[number], CorruptRecordException()
        )
        rows += await come(source, lambda more: whole(rows + more, partitions=3))

    assert len(rows) == 30


async def test_rows_that_come_while_their_partition_is_taken_up_anew_are_not_lost(
    kafka: str, topics: Topics
) -> None:
    """F14 in the middle of a wait: what was asked for one holder is the next one's first row."""
    await filled(kafka, topics, partitions=1)
    async with producer_of(kafka) as producer, unread(kafka, topics) as source:
        poller, holdings = source._poller, source._holdings
        await come(source, lambda rows: whole(rows, partitions=1))
        before = holdings.held[0]
        before.steps = STEPS
        asked = asyncio.create_task(poller.next())
        await asyncio.sleep(0)

        again = Tracker(0, holdings.epoch)
        holdings.take(0, Held(again, before.topic_id, since=0, reads=True, commits=True))
        source._consumer.seek(TopicPartition(topics.traces, 0), 0)
        await producer.send_and_wait(topics.traces, b"", partition=0)  # the node need not wait
        rows = [*await asked]
        rows += await come(source, lambda more: whole(rows + more, partitions=1, upto=11))

    assert [row.offset for row in rows] == [*range(11)]


async def test_a_partition_may_go_while_another_one_is_waited_for(
    kafka: str, topics: Topics
) -> None:
    await filled(kafka, topics, partitions=2)
    async with unread(kafka, topics) as source:
        await come(source, lambda rows: whole(rows, partitions=2))
        [first, second] = source._poller.turns.of(source._holdings.readable())
        source._holdings.held[first].steps = STEPS
        asked = asyncio.create_task(source._poller.next())
        await asyncio.sleep(0)

        source._holdings.drop(second)

        assert not await asked


async def test_rows_that_wait_go_with_their_partition(kafka: str, topics: Topics) -> None:
    await filled(kafka, topics, partitions=2)
    async with unread(kafka, topics) as source:
        await fetched(source, 2)
        await source._poller.next()
        [waiting] = source._poller._taken

        source._holdings.drop(waiting.part.partition)

        assert not await source._poller.next()
        assert position(source._consumer, waiting.part) == 10


async def test_rows_that_wait_stay_unread_where_their_partition_stops(
    kafka: str, topics: Topics
) -> None:
    """F43: of a flood no offset moves past what was set aside."""
    await filled(kafka, topics, partitions=2)
    async with unread(kafka, topics) as source:
        await fetched(source, 2)
        await source._poller.next()
        [waiting] = source._poller._taken
        held = source._holdings.held[waiting.part.partition]

        held.stopped = "rejections_flood"

        assert not await source._poller.next()
        assert held.tracker.position == 0


async def test_a_paused_partition_with_room_resumes_though_others_have_rows_all_the_time(
    kafka: str, topics: Topics
) -> None:
    """I7"""
    await filled(kafka, topics, partitions=2)
    async with unread(kafka, topics) as source:
        await fetched(source, 2)
        source._consumer.pause(TopicPartition(topics.traces, 1))
        source._poller.pauses.paused.add(1)

        rows = list(await source._poller.next())

        assert len(rows) == 10
        assert not source._consumer.paused()
        rows += await come(source, lambda more: whole(rows + more, partitions=2))


async def test_a_round_of_rows_that_inflate_ends_early(kafka: str, topics: Topics) -> None:
    """F41 with I6: each partition's rows are kilobytes on the wire, and more than a round here."""
    await make_all(kafka, topics, partitions=4)
    size = 1_000_000
    rows = ROUND_BYTES // size + 1
    settings = {"max_request_size": 2 * size * rows, "max_batch_size": 2 * size * rows}
    async with producer_of(kafka, compression_type="gzip", **settings) as producer:
        sent = [
            await producer.send(topics.traces, b"x" * size, partition=number)
            for number in range(4)
            for _ in range(rows)
        ]
        await asyncio.gather(*sent)

    async with unread(kafka, topics) as source:
        await fetched(source, 4)
        for _ in range(4):
            assert len(await source._poller.next()) == rows
            assert not source._poller._taken
