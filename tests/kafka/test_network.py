"""A network that carries nothing any more, and says nothing of it.

F08 black hole (that of a whole broker is in test_outages.py)
"""

from pathlib import Path

import pytest

from streams.address import Topics
from tests.kafka.broker import running
from tests.kafka.cluster_admin import make_all, put
from tests.kafka.member import connection_of, everything, member
from tests.kafka.processes import traces
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
