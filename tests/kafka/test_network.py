"""A network that carries nothing any more, and says nothing of it.

F08 black hole (that of a whole broker is in test_outages.py)
"""

import asyncio
from pathlib import Path

import pytest

from streams.address import Topics
from tests.kafka.broker import running
from tests.kafka.cluster_admin import make_all, put
from tests.kafka.flow import accounted, all_settled, plan_of, prepare
from tests.kafka.member import connection_of, everything, member
from tests.kafka.processes import traces, workers
from tests.kafka.proxy import proxied
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def test_a_connection_that_falls_silent_costs_a_minute_at_most(
    tmp_path: Path, topics: Topics
) -> None:
    """F08 with I1 and I5: every connection that is open goes dead; new ones work."""
    async with proxied() as proxy, running(tmp_path, proxy=proxy) as cluster:
        kafka = cluster.address
        await make_all(kafka, topics, partitions=2)
        await put(kafka, topics.traces, traces(10))

        async with member(connection_of(kafka), topics, opens=everything) as one:
            await eventually(lambda: len(one.rows) == 10)
            proxy.silence()
            assert proxy.silenced > 0
            await put(kafka, topics.traces, traces(10, first=10), partition=1)

            def all_done() -> bool:
                one.finish()
                return {(number, n) for number in (0, 1) for n in range(10)} <= set(one.places)

            await eventually(all_done, within=60)
            await eventually(
                lambda: all(part.next == 10 for part in one.source.progress().values())
            )


async def test_a_worker_that_its_group_does_not_answer_asks_nothing_until_it_does(
    tmp_path: Path, topics: Topics
) -> None:
    """F08 with I1 and I2: cut off for longer than a session, and another has its rows meanwhile."""
    busy = tmp_path / "busy"
    async with proxied() as proxy, running(tmp_path, proxy=proxy) as cluster:
        kafka = cluster.address
        await prepare(kafka, topics, 200)
        plan = plan_of(kafka, topics, tmp_path, session_seconds=1.5, busy=str(busy))

        with workers(plan) as some:
            busy.touch()
            some.start("a")
            await eventually(lambda: len(some.entries("busy")) >= plan.in_flight)
            proxy.silence()
            busy.unlink()
            some.start("b")
            await eventually(lambda: all_settled(kafka, topics, 200), within=60, every=0.5)
            for slot in ("b", "a"):  # in a thread: the proxy runs here
                assert await asyncio.to_thread(some.stop, slot) == 0
        found = await accounted(some)

    assert (found.lost, found.paid_twice_in_flight, found.paid_twice_not_in_flight) == (0, 0, 0)
