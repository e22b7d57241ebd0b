"""Members come and go: rows in flight survive where their partition returns; no commit fails.

F13 storm · F14 partition returns · F15 partition leaves · F17 nothing before recovery · F18 idle
member · F19 partitions added
"""

import asyncio
import itertools
import time
from contextlib import AsyncExitStack

import pytest
from aiokafka.admin import NewPartitions

from streams.address import Topics
from tests.kafka.cluster_admin import admin_of, commits_of, make_all, put
from tests.kafka.member import Member, connection_of, everything, group_of, member
from tests.kafka.processes import spread, traces
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def prepare(kafka: str, topics: Topics, *, partitions: int, rows: int) -> None:
    await make_all(kafka, topics, partitions=partitions)
    for number, share in enumerate(spread(traces(rows), partitions)):
        await put(kafka, topics.traces, share, partition=number)


async def test_rows_in_flight_go_on_where_their_partition_comes_straight_back(
    kafka: str, topics: Topics
) -> None:
    """F14: a member joins, and leaves again; what stayed with us is neither lost nor read twice."""
    await prepare(kafka, topics, partitions=2, rows=64)

    async with member(connection_of(kafka), topics, opens=everything) as ours:
        await eventually(lambda: len(ours.rows) == 64)
        async with member(connection_of(kafka, slot="1"), topics, opens=everything) as theirs:
            await eventually(lambda: len(theirs.partitions) == 1 and len(ours.partitions) == 1)
            (kept,) = ours.partitions
            for row in ours.rows:
                assert await ours.source.owns(row) == (row.partition == kept)
            await eventually(lambda: len(theirs.rows) == 32)
            ours.finish()
            assert ours.source.progress()[kept].next == 32
        assert [place for place in ours.places if place[0] == kept] == [
            (kept, n) for n in range(32)
        ]
        assert ours.source.incidents.counts["commit_failed"] == 0


async def test_what_was_done_before_a_partition_left_is_not_done_again(
    kafka: str, topics: Topics
) -> None:
    """F15 with I3: the last commit of a revoke carries the map; late words are not heard."""
    await prepare(kafka, topics, partitions=2, rows=64)

    async with member(connection_of(kafka), topics, opens=everything) as ours:
        await eventually(lambda: len(ours.rows) == 64)
        for record in ours.rows[1::2]:
            ours.source.done(record)
        async with member(connection_of(kafka, slot="1"), topics, opens=everything) as theirs:
            await eventually(lambda: len(theirs.rows) == 32)
            (gone,) = theirs.partitions
            finished = {row.offset for row in theirs.rows if row.finished}
            done = {row.offset for row in ours.rows[1::2] if row.partition == gone}
            assert finished == done
            before = theirs.source.progress()[gone]
            ours.finish()
            assert theirs.source.progress()[gone] == before


async def test_a_member_without_partitions_takes_over_later(kafka: str, topics: Topics) -> None:
    """F18: it stays in the group, and reads once the other has gone."""
    await prepare(kafka, topics, partitions=1, rows=5)

    async with AsyncExitStack() as idle_until_the_end:
        async with member(connection_of(kafka), topics) as busy:
            await eventually(lambda: len(busy.rows) == 5)
            idle = await idle_until_the_end.enter_async_context(
                member(connection_of(kafka, slot="1"), topics)
            )
            await eventually(lambda: busy.partitions == {0})
            assert not idle.partitions
        await put(kafka, topics.traces, traces(1, first=5))

        await eventually(lambda: idle.places == [(0, 5)])


async def test_partitions_that_are_added_are_read_from_their_first_row(
    kafka: str, topics: Topics
) -> None:
    """F19: rows that were written before anybody noticed the new partition are not skipped."""
    await prepare(kafka, topics, partitions=1, rows=5)

    async with member(connection_of(kafka, metadata=1), topics) as ours:
        await eventually(lambda: len(ours.rows) == 5)
        async with admin_of(kafka) as admin:
            await admin.create_partitions({topics.traces: NewPartitions(2)})
        await eventually(lambda: _put_one(kafka, topics))
        await eventually(lambda: (1, 0) in ours.places)


async def _put_one(kafka: str, topics: Topics) -> bool:
    """Write a row to the new partition, once its leader is known."""
    try:
        await asyncio.wait_for(put(kafka, topics.traces, traces(1), partition=1), 2)
    except (AssertionError, TimeoutError):
        return False
    return True


async def test_each_change_of_members_is_one_rebalance_and_no_commit_fails(
    kafka: str, topics: Topics
) -> None:
    """F13 with I1 and I5: 40 s of joining and leaving while rows are finished all the time."""
    await prepare(kafka, topics, partitions=4, rows=400)
    changes, until = 0, time.monotonic() + 40

    async with member(connection_of(kafka), topics, opens=everything) as ours:
        await eventually(lambda: len(ours.rows) == 400)
        finishing = asyncio.create_task(finish_now_and_then(ours))
        first = ours.source._holdings.epoch
        while time.monotonic() < until:
            async with member(connection_of(kafka, slot="1"), topics) as theirs:
                await eventually(lambda: len(ours.partitions) == len(theirs.partitions) == 2)
            await eventually(lambda: len(ours.partitions) == 4)
            changes += 2
            assert theirs.source.incidents.counts["commit_failed"] == 0

        assert ours.source._holdings.epoch - first == changes
        assert ours.source.incidents.counts["commit_failed"] == 0
        await eventually(lambda: all(one.next == 100 for one in ours.source.progress().values()))
        finishing.cancel()

    found = await commits_of(kafka, group_of(topics), topics.traces)
    assert {number: offset for number, (offset, _) in found.items()} == dict.fromkeys(range(4), 100)


async def finish_now_and_then(one: Member) -> None:
    """Finish a few more rows ten times a second, so that there is always something to commit."""
    for turn in itertools.count():
        await asyncio.sleep(0.1)
        for record in one.rows[turn % 50 :: 50]:
            one.source.done(record)
