"""A coordinator that has just moved does not know all commits, or cannot tell them yet.

F09 coordinator moves (a whole node goes in test_outages.py, and again and again in the chaos)
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.admin import NewPartitions
from aiokafka.protocol.admin import DescribeGroupsResponse_v1
from aiokafka.protocol.commit import OffsetFetchResponse_v3

from streams.address import Topics
from tests.kafka.broker import running
from tests.kafka.cluster_admin import admin_of, commits_of, make_all, put
from tests.kafka.forger import forging
from tests.kafka.member import connection_of, everything, group_of, member
from tests.kafka.processes import traces
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service

OFFSET_FETCH, DESCRIBE_GROUPS = 9, 15
LOADING = 14
"""COORDINATOR_LOAD_IN_PROGRESS"""


def loading(answer: bytes) -> bytes:
    """Return the answer of a coordinator that does not have the group's records yet."""
    throttle, _, _ = OffsetFetchResponse_v3.SCHEMA.decode(BytesIO(answer))
    return OffsetFetchResponse_v3(throttle, [], LOADING).encode()


def without_members(answer: bytes) -> bytes:
    """Return what the same coordinator says of a group's members."""
    fields: Any = DescribeGroupsResponse_v1.SCHEMA.decode(BytesIO(answer))
    throttle, ((_, group, *_),) = fields
    told: list[Any] = [(LOADING, group, "", "", "", [])]
    return DescribeGroupsResponse_v1(throttle, told).encode()


@dataclass
class Times:
    """Forges so many answers, and passes the others on."""

    forge: Callable[[bytes], bytes]
    left: int = 0
    seen: list[bytes] = field(default_factory=list)

    def __call__(self, answer: bytes) -> bytes:
        self.seen.append(answer)
        if not self.left:
            return answer
        self.left -= 1
        return self.forge(answer)


async def test_a_coordinator_that_loads_its_groups_is_not_heard_as_one_without_commits(
    tmp_path: Path, topics: Topics
) -> None:
    """F09 with I1 and I4: what was committed is asked for again, until it is told."""
    async with forging() as forger, running(tmp_path, proxy=forger) as cluster:
        kafka = cluster.address
        await make_all(kafka, topics)
        await put(kafka, topics.traces, traces(10))
        async with member(connection_of(kafka), topics) as first:
            await eventually(lambda: len(first.rows) == 10)
        await put(kafka, topics.traces, traces(5, first=10))

        forger.forges[OFFSET_FETCH] = Times(loading, left=6)
        async with member(connection_of(kafka), topics) as second:
            await eventually(lambda: len(second.rows) >= 5)
            assert second.places == [(0, n) for n in range(10, 15)]
            assert second.source.incidents.counts["recovery_failed"] > 0


async def test_commits_from_before_our_own_are_not_believed(tmp_path: Path, topics: Topics) -> None:
    """F09 with I2 and I4: a new coordinator need not know of our commits at once."""
    async with forging() as forger, running(tmp_path, proxy=forger) as cluster:
        kafka = cluster.address
        await make_all(kafka, topics)
        await put(kafka, topics.traces, traces(10))
        stale = Times(lambda _: stale.seen[0])
        forger.forges[OFFSET_FETCH] = stale

        async with member(connection_of(kafka, metadata=1), topics, opens=everything) as ours:
            await eventually(lambda: len(ours.rows) == 10)
            for row in ours.rows[:4]:
                ours.source.done(row)
            await ours.source.commit()
            stale.left = 6
            async with admin_of(kafka) as admin:  # a rebalance that leaves us what we have
                await admin.create_partitions({topics.traces: NewPartitions(2)})
            await eventually(lambda: ours.partitions == {0, 1})
            assert [await ours.source.owns(row) for row in ours.rows] == [True] * 10
            ours.finish()
            await ours.source.commit()

            assert ours.places == [(0, n) for n in range(10)]
            assert ours.source.incidents.counts["recovery_failed"] > 0
            assert ours.source.incidents.counts["commits_lost"] == 0
        commits = await commits_of(kafka, group_of(topics), topics.traces)
        assert commits[0][0] == 10


async def test_a_ghost_is_put_out_although_the_coordinator_still_loads_its_groups(
    tmp_path: Path, topics: Topics
) -> None:
    """F09 with F01: a life that was killed must not cost the next one a session."""
    async with forging() as forger, running(tmp_path, proxy=forger) as cluster:
        link, group = connection_of(cluster.address), group_of(topics)
        await make_all(cluster.address, topics)
        async with AIOKafkaConsumer(
            topics.traces,
            bootstrap_servers=cluster.address,
            client_id=link.worker.client_id,
            group_id=group,
        ) as ghost:
            await eventually(ghost.assignment)

            forger.forges[DESCRIBE_GROUPS] = Times(without_members, left=2)
            async with member(link, topics) as ours:
                assert ours.source.incidents.counts["ghost_removed"] == 1
