"""A run's rows from Kafka: all of its stretch, nothing beside it, and the end found by itself.

F57 run twice · trailing markers · empty range · start after end · retention · topic made anew
(killed and resumed: test_replay_kills.py)
"""

import asyncio
import time
from datetime import timedelta

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from streams.address import Topics
from streams.kafka.anchor import TopicChangedError
from streams.kafka.sink import KafkaSink
from streams.pace import now
from streams.replay.lease import LeaseLostError
from streams.replay.planning import ReplayRefusedError
from streams.subscription import Bounds
from tests.kafka.cluster_admin import (
    admin_of,
    commits_of,
    delete_topics,
    make_all,
    make_topics,
    producer_of,
    put,
)
from tests.kafka.member import connection_of, everything
from tests.kafka.processes import traces
from tests.kafka.replayed import RUN, group_of, life, planned
from tests.kafka.waiting import eventually
from tests.kafka.writing import written_on
from tests.streams.ports.messages import a_score

pytestmark = pytest.mark.service


async def cut(kafka: str, topic: str, *, before: int) -> None:
    """Have the broker delete the rows before an offset, as retention does."""
    async with admin_of(kafka) as admin:
        await admin.delete_records({TopicPartition(topic, 0): RecordsToDelete(before)})


async def test_a_run_reads_its_stretches_and_ends_though_rows_go_on_to_come(
    kafka: str, topics: Topics
) -> None:
    await make_all(kafka, topics, partitions=3)
    for number in range(3):
        await put(kafka, topics.traces, traces(40), partition=number)

    bounds = {0: Bounds(5, 25), 1: Bounds(30, 30), 2: Bounds(0, 40)}
    async with life(kafka, topics, bounds) as one:
        await one.read()
        progress = {number: at[:3] for number, at in one.source.progress().items()}

    read = sorted((row.partition, row.offset) for row in one.rows)
    assert read == [*((0, n) for n in range(5, 25)), *((2, n) for n in range(40))]
    assert progress == {0: (25, 25, 1), 1: (30, 30, 1), 2: (40, 40, 1)}
    committed = await commits_of(kafka, group_of(topics), topics.traces)
    assert {number: offset for number, (offset, _) in committed.items()} == {0: 25, 1: 30, 2: 40}


async def test_a_run_that_is_complete_reads_nothing_again(kafka: str, topics: Topics) -> None:
    """F57: run twice"""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))
    async with life(kafka, topics, (0, 10)) as one:
        await one.read()
    await put(kafka, topics.traces, traces(10, first=10))

    async with life(kafka, topics, (0, 10), epoch=2) as one:
        assert await one.read() == []
        assert one.source.progress()[0][:2] == (10, 10)


async def test_a_later_life_knows_what_was_finished_and_what_the_run_published(
    kafka: str, topics: Topics
) -> None:
    """F57: only verdicts of the run itself count as its own."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(6))
    began_at = now()
    async with (
        KafkaSink(connection_of(kafka), topics, "g", "0") as sink,
        life(kafka, topics, (0, 6), opens=everything, began_at=began_at) as one,
    ):
        await one.read()
        one.source.done(one.rows[4])
        for at, run in ((1, RUN), (2, None), (3, "another")):
            mode = "live" if run is None else "replay"
            score = a_score(offset=at, event_id=f"e{at}")
            origin = score.origin.model_copy(update={"topic": topics.traces})
            changed = {"mode": mode, "run": run, "origin": origin}
            await sink.publish([score.model_copy(update=changed)])

    async with life(kafka, topics, (0, 6), epoch=2, began_at=began_at) as one:
        await one.read()

    assert [row.offset for row in one.rows if row.finished] == [4]
    assert {row.offset: row.published for row in one.rows if row.published} == {1: {"e1"}}
    assert {row.epoch for row in one.rows} == {2}


async def a_log_that_ends_in_markers(kafka: str, topics: Topics) -> None:
    """Write three rows of one transaction, and one of another that is aborted."""
    await make_all(kafka, topics)
    async with producer_of(kafka, transactional_id=topics.traces) as producer:
        async with producer.transaction():
            for value in traces(3):
                await producer.send(topics.traces, value, partition=0)
        await producer.begin_transaction()
        await producer.send_and_wait(topics.traces, b"aborted", partition=0)
        await producer.abort_transaction()


async def test_markers_and_aborted_rows_before_the_end_do_not_keep_a_run_from_it(
    kafka: str, topics: Topics
) -> None:
    """F57: trailing markers"""
    await a_log_that_ends_in_markers(kafka, topics)
    stretch = (await planned(kafka, topics.traces)).stretches[0]

    async with life(kafka, topics, (stretch.start, stretch.end)) as one:
        assert await one.read() == [0, 1, 2]
        assert one.source.progress()[0][:2] == (6, 6)

    assert stretch.end == 6
    assert (await commits_of(kafka, group_of(topics), topics.traces))[0][0] == 6


async def test_rows_that_go_on_to_come_do_not_keep_a_run_from_its_end(
    kafka: str, topics: Topics
) -> None:
    """F57: behind markers no row of the stretch shows that it is over, and the log never rests."""
    await a_log_that_ends_in_markers(kafka, topics)

    async with written_on(kafka, topics.traces, 1), life(kafka, topics, (0, 6)) as one:
        assert await asyncio.wait_for(one.read(), 20) == [0, 1, 2]


async def test_an_open_transaction_ends_a_run_before_it(kafka: str, topics: Topics) -> None:
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(4))
    async with producer_of(kafka, transactional_id=topics.traces) as producer:
        await producer.begin_transaction()
        await producer.send_and_wait(topics.traces, b"not yet", partition=0)

        stretch = (await planned(kafka, topics.traces)).stretches[0]
        async with life(kafka, topics, (stretch.start, stretch.end)) as one:
            assert await one.read() == [0, 1, 2, 3]
        await producer.abort_transaction()


async def test_what_cannot_be_replayed_is_refused_at_once(kafka: str, topics: Topics) -> None:
    """F57: start after end, unknown topic"""
    began = time.monotonic()

    with pytest.raises(ReplayRefusedError, match="there is no topic"):
        await planned(kafka, topics.traces)
    await make_all(kafka, topics)
    with pytest.raises(ReplayRefusedError, match="is after --to"):
        await planned(kafka, topics.traces, from_=now(), to=now() - timedelta(hours=1))

    assert time.monotonic() - began < 20


async def test_a_range_without_rows_is_complete_at_once_and_says_so(
    kafka: str, topics: Topics
) -> None:
    """F57: empty range"""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))

    found = await planned(kafka, topics.traces, from_=now())

    assert found.empty
    assert "has no row from" in found.messages[0]
    for nothing in ({0: Bounds(10, 10)}, {}):
        async with life(kafka, topics, nothing) as one:
            assert await one.read() == []


async def test_rows_deleted_before_a_run_are_a_gap_that_its_plan_tells(
    kafka: str, topics: Topics
) -> None:
    """F57: retention ate the start"""
    await make_all(kafka, topics)
    before = now() - timedelta(minutes=1)
    await put(kafka, topics.traces, traces(10))
    await cut(kafka, topics.traces, before=7)

    found = await planned(kafka, topics.traces, from_=before)

    stretch = found.stretches[0]
    assert (stretch.start, stretch.end, stretch.gone) == (7, 10, None)
    assert f"{topics.traces}/0: rows since" in found.messages[0]


async def test_rows_deleted_between_two_lives_are_counted(kafka: str, topics: Topics) -> None:
    """F57: only those of the run's stretch"""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(20))
    async with life(kafka, topics, (2, 12)):
        pass
    await cut(kafka, topics.traces, before=15)

    async with life(kafka, topics, (2, 12), epoch=2) as one:
        assert await one.read() == []
        assert one.source.gaps == {0: 10}


async def test_rows_deleted_under_a_run_are_counted_and_it_goes_on_behind_them(
    kafka: str, topics: Topics
) -> None:
    """F57: it waits for room while retention passes it."""
    await make_all(kafka, topics)
    large = [b"%d " % n + b"x" * 200_000 for n in range(30)]
    await put(kafka, topics.traces, large, max_batch_size=250_000)

    async with life(kafka, topics, (0, 28), opens=everything, span=8) as one:
        reading = one.start()
        await eventually(lambda: len(one.rows) == 8)
        await cut(kafka, topics.traces, before=25)

        def ended() -> bool:
            for row in one.rows:
                one.source.done(row)
            return reading.done()

        await eventually(ended)

    offsets = [row.offset for row in one.rows]
    assert offsets == sorted(set(offsets))
    assert offsets[-3:] == [25, 26, 27]
    assert one.source.gaps == {0: 28 - len(offsets)}


async def test_a_topic_made_anew_stops_a_run_with_a_clear_error(kafka: str, topics: Topics) -> None:
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))
    found = await planned(kafka, topics.traces)
    async with life(kafka, topics, (0, 10), topic_id=found.topic_id, of=found.of) as one:
        await delete_topics(kafka, [topics.traces])
        await make_topics(kafka, [topics.traces], partitions=2)
        await put(kafka, topics.traces, traces(20))

        with pytest.raises(TopicChangedError, match="made anew"):
            await one.source._anchor.look()

    with pytest.raises(TopicChangedError, match="made anew"):
        async with life(kafka, topics, (0, 10), topic_id=found.topic_id, of=found.of):
            pass


async def test_a_run_whose_lease_is_lost_works_on_nothing_and_commits_nothing(
    kafka: str, topics: Topics
) -> None:
    """F63"""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(20))
    held, ours = [True], (0, 20)

    def leased() -> bool:
        return held[0]

    with pytest.raises(LeaseLostError):
        async with life(kafka, topics, ours, opens=everything, span=10, leased=leased) as one:
            reading = one.start()
            await eventually(lambda: len(one.rows) == 10)
            assert await one.source.owns(one.rows[3])
            before = await commits_of(kafka, group_of(topics), topics.traces)
            held[0] = False
            for row in one.rows:
                one.source.done(row)
            assert not await one.source.owns(one.rows[3])
            await one.source.commit()
            assert await commits_of(kafka, group_of(topics), topics.traces) == before
            await reading

    assert await commits_of(kafka, group_of(topics), topics.traces) == before


async def test_everything_is_committed_anew_though_nothing_has_changed(
    kafka: str, topics: Topics
) -> None:
    """A broker would forget the group of a run that waits for a week."""
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(10))

    async with life(kafka, topics, (0, 10)) as one:
        first = await commits_of(kafka, group_of(topics), topics.traces)
        one.source._commits.forget()
        await one.source.commit()
        second = await commits_of(kafka, group_of(topics), topics.traces)

    assert first[0][0] == second[0][0] == 0
    assert first != second
