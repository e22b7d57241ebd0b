"""A worker that is killed loses no row, and no verdict that it had published is paid again.

F01 kill in mid-flight · F02 kill between acknowledgement and commit · F03 kill right after a commit
"""

from pathlib import Path

import pytest

from streams.address import Topics
from tests.kafka.flow import accounted, all_settled, plan_of, prepare
from tests.kafka.processes import workers
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def test_kills_in_mid_flight_lose_nothing_and_pay_only_calls_in_flight_twice(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F01 with I1 to I4: five lives, four of them killed under load."""
    rows, kills, in_flight = 600, 4, 16
    await prepare(kafka, topics, rows)

    with workers(plan_of(kafka, topics, tmp_path, in_flight=in_flight)) as some:
        for life in range(kills):
            some.start()
            enough = 100 * (life + 1)
            await eventually(lambda enough=enough: some.begun() >= enough)  # type: ignore[misc]
            some.kill()
        some.start()
        await eventually(lambda: all_settled(kafka, topics, rows), within=60, every=0.5)

    found = await accounted(some)
    assert (found.rows, found.lost, found.unsafe, found.backward) == (rows, 0, 0, 0)
    assert found.paid_twice_not_in_flight == 0
    assert found.paid_twice_in_flight <= kills * in_flight
