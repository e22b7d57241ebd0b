"""Where reading goes on when the commit or the log is not what it was: told, and nothing skipped.

F20 topic made anew · F21 retention · F22 beyond the end · F24 markers, aborted rows · F25 strange
metadata · F26 another incarnation's map (F23, the start policy, is in the suite of the ports)
"""

import asyncio
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer, OffsetAndMetadata, TopicPartition
from aiokafka.admin import RecordsToDelete

from streams.address import Topics
from tests.kafka.broker import running
from tests.kafka.cluster_admin import (
    admin_of,
    commits_of,
    delete_topics,
    make_all,
    make_topics,
    producer_of,
    put,
)
from tests.kafka.member import connection_of, everything, group_of, member
from tests.kafka.processes import traces
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def cut(kafka: str, topic: str, *, before: int) -> None:
    """Have the broker delete the rows before an offset, as retention does."""
    async with admin_of(kafka) as admin:
        part = TopicPartition(topic, 0)
        await admin.delete_records({part: RecordsToDelete(before)})


async def commit_as_somebody(kafka: str, topics: Topics, offset: int, metadata: str) -> None:
    """Commit for the group as any tool can while nobody is in it."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=kafka, group_id=group_of(topics), enable_auto_commit=False
    )
    await consumer.start()
    part = TopicPartition(topics.traces, 0)
    consumer.assign([part])
    await consumer.commit({part: OffsetAndMetadata(offset, metadata)})
    await consumer.stop()


async def read_ten(kafka: str, topics: Topics) -> None:
    """Let a first life read ten rows, finish them, and leave."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))
    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 10)


async def test_rows_deleted_between_two_lives_are_a_gap_that_is_told(
    kafka: str, topics: Topics
) -> None:
    """F21"""
    await read_ten(kafka, topics)
    await put(kafka, topics.traces, traces(10, first=10))
    await cut(kafka, topics.traces, before=15)

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 5)

        assert [offset for _, offset in one.places] == list(range(15, 20))
        assert one.source.incidents.counts["retention_gap"] == 1


async def test_rows_deleted_under_a_running_reader_are_a_gap_that_is_told(
    kafka: str, topics: Topics
) -> None:
    """F21: the reader waits for room while retention passes it."""
    await make_all(kafka, topics)
    large = [b"%d " % n + b"x" * 200_000 for n in range(30)]
    await put(kafka, topics.traces, large, max_batch_size=250_000)

    async with member(connection_of(kafka), topics, opens=everything, span=8) as one:
        await eventually(lambda: len(one.rows) == 8)
        await cut(kafka, topics.traces, before=25)

        def last_came() -> bool:
            one.finish()
            return bool(one.rows) and one.rows[-1].offset == 29

        await eventually(last_came)
        offsets = [offset for _, offset in one.places]
        assert offsets == sorted(set(offsets))
        assert offsets[-5:] == list(range(25, 30))
        assert one.source.incidents.counts["retention_gap"] == 1
        await eventually(lambda: one.source.progress()[0].next == 30)


async def test_a_commit_beyond_the_end_sends_us_to_the_first_row(
    kafka: str, topics: Topics
) -> None:
    """F22"""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(5))
    await commit_as_somebody(kafka, topics, 1000, "")

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 5)

        assert one.source.incidents.counts["beyond_end"] == 1


@pytest.mark.parametrize("metadata", ["", "other tool's", "sg1.abc", "sg2.a.b.c.d", "sg1.a..1.%%"])
async def test_strange_metadata_costs_the_map_and_not_the_offset(
    kafka: str, topics: Topics, metadata: str
) -> None:
    """F25"""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(5))
    await commit_as_somebody(kafka, topics, 3, metadata)

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 2)

        assert [offset for _, offset in one.places] == [3, 4]
        assert not any(row.finished for row in one.rows)
        incidents = one.source.incidents.counts
        assert incidents["commit_unreadable"] + incidents["topic_recreated"] == 1


async def test_a_broker_that_takes_shorter_metadata_gets_the_commit_without_its_map(
    tmp_path: Path, topics: Topics
) -> None:
    """F25: the offsets are committed all the same, and what is too long is sent again once."""
    async with running(tmp_path, settings={"offset.metadata.max.bytes": "80"}) as cluster:
        kafka = cluster.address
        await make_all(kafka, topics)
        await put(kafka, topics.traces, traces(400))

        async with member(connection_of(kafka), topics, opens=everything) as one:
            await eventually(lambda: len(one.rows) == 400)
            for row in one.rows[1::2]:
                one.source.done(row)
            assert await one.source._committer.commit()

            assert one.source.incidents.counts["commit_map_dropped"] == 1
            (offset, metadata) = (await commits_of(kafka, group_of(topics), topics.traces))[0]
            assert (offset, metadata[-1]) == (0, ".")


async def test_a_topic_made_anew_between_two_lives_is_read_from_its_first_row(
    kafka: str, topics: Topics
) -> None:
    """F20"""
    await read_ten(kafka, topics)
    await delete_topics(kafka, [topics.traces])
    await make_topics(kafka, [topics.traces])
    await put(kafka, topics.traces, traces(20, first=100))

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 20)

        assert not any(row.finished for row in one.rows)


async def test_a_commit_that_lands_on_a_topic_made_anew_is_not_taken_for_its_own(
    kafka: str, topics: Topics
) -> None:
    """F20 and F26: offset and map of an older incarnation are refused by the topic's id."""
    await read_ten(kafka, topics)
    offset, metadata = (await commits_of(kafka, group_of(topics), topics.traces))[0]
    await delete_topics(kafka, [topics.traces])
    await make_topics(kafka, [topics.traces])
    await put(kafka, topics.traces, traces(20, first=100))
    await commit_as_somebody(kafka, topics, offset, metadata)

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: len(one.rows) == 20)

        assert offset == 10
        assert one.source.incidents.counts["topic_recreated"] == 1


async def test_a_topic_made_anew_under_a_running_reader_is_noticed_by_its_id(
    kafka: str, topics: Topics
) -> None:
    """F20: the reader waits for room, so that no fetch tells it; it asks once a minute."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))

    connection = connection_of(kafka, metadata=60)
    async with member(connection, topics, opens=everything, span=8) as one:
        await eventually(lambda: len(one.rows) == 8)
        await delete_topics(kafka, [topics.traces])
        await make_topics(kafka, [topics.traces])
        await put(kafka, topics.traces, traces(8, first=100))
        await one.source._lookout.look_at_topic()

        await eventually(lambda: len(one.rows) == 16)
        assert [offset for _, offset in one.places[8:]] == list(range(8))
        one.finish()
        assert one.source.progress()[0].next == 8


async def test_markers_and_aborted_rows_are_passed(kafka: str, topics: Topics) -> None:
    """F24: the committed offset reaches the end of a log that ends in what no row comes of."""
    await make_all(kafka, topics)
    async with producer_of(kafka, transactional_id=topics.traces) as producer:
        async with producer.transaction():
            for value in traces(3):
                await producer.send(topics.traces, value, partition=0)
        await producer.begin_transaction()
        await producer.send_and_wait(topics.traces, b"aborted", partition=0)
        await producer.abort_transaction()

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: one.source.progress().get(0, (0, 0))[0] == 6)

        assert [offset for _, offset in one.places] == [0, 1, 2]
        assert one.source.progress()[0].end == 6
        await one.source.commit()
        assert (await commits_of(kafka, group_of(topics), topics.traces))[0][0] == 6


async def test_a_commit_that_waits_while_its_topic_is_deleted_skips_no_row_of_the_next_one(
    kafka: str, topics: Topics
) -> None:
    """F20 with I1: it is taken by the new topic of that name, and recognised by the topic's id."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(8))

    async with member(connection_of(kafka, metadata=60), topics, opens=everything, span=8) as one:
        await eventually(lambda: len(one.rows) == 8)
        await one.source.commit()
        one.finish()
        await delete_topics(kafka, [topics.traces])
        waiting = asyncio.create_task(one.source.commit())
        await make_topics(kafka, [topics.traces])
        await put(kafka, topics.traces, traces(20, first=100))
        await waiting
        await one.source._lookout.look_at_topic()

        def all_came() -> bool:
            one.finish()
            return set(one.places[8:]) == {(0, n) for n in range(20)}

        await eventually(all_came)
        await eventually(lambda: one.source.progress()[0].next == 20)
