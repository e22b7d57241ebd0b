"""A worker that is killed loses no row, and no verdict that it had published is paid again.

F01 kill in mid-flight · F02 kill between acknowledgement and commit · F03 kill right after a commit
"""

from dataclasses import asdict
from pathlib import Path

import pytest

from streams.address import EVENT_ID, Topics
from tests.kafka.accounts import account
from tests.kafka.cluster_admin import make_topics, names_of, put, read_all
from tests.kafka.processes import spread, traces, workers
from tests.kafka.waiting import eventually
from tests.kafka.worker import Plan

pytestmark = pytest.mark.service

PARTITIONS = 4


async def prepare(kafka: str, topics: Topics, rows: int) -> None:
    """Make the topics, with scores stamped by the broker, and write rows of which 1 % is poison."""
    await make_topics(
        kafka, [topics.scores], partitions=PARTITIONS, message_timestamp_type="LogAppendTime"
    )
    others = [name for name in names_of(topics) if name != topics.scores]
    await make_topics(kafka, others, partitions=PARTITIONS)
    values = [b"not json" if n % 100 == 50 else value for n, value in enumerate(traces(rows))]
    for number, share in enumerate(spread(values, PARTITIONS)):
        await put(kafka, topics.traces, share, partition=number)


async def scored(kafka: str, topics: Topics) -> int:
    """Return how many rows have their event or their letter."""
    events = {dict(r.headers).get(EVENT_ID) for r in await read_all(kafka, topics.scores)} - {None}
    dead = {dict(r.headers).get("streamgauge-origin") for r in await read_all(kafka, topics.dead)}
    return len(events) + len(dead)


def plan_of(kafka: str, topics: Topics, folder: Path, **changes: object) -> Plan:
    return Plan(kafka, asdict(topics), str(folder / "ledger"), **changes)  # type: ignore[arg-type]


async def test_kills_in_mid_flight_lose_nothing_and_pay_only_calls_in_flight_twice(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F01 with I1 and I2: five lives, four of them killed under load."""
    rows, kills, in_flight = 600, 4, 16
    await prepare(kafka, topics, rows)

    with workers(plan_of(kafka, topics, tmp_path, in_flight=in_flight)) as some:
        for life in range(kills):
            some.start()
            enough = 100 * (life + 1)
            await eventually(lambda enough=enough: some.begun() >= enough)  # type: ignore[misc]
            some.kill()
        some.start()
        await eventually(lambda: everything_scored(kafka, topics, rows), within=60, every=0.5)

    found = await account(kafka, topics, tmp_path / "ledger", probability=1.0)
    assert (found.rows, found.lost) == (rows, 0)
    assert found.paid_twice_not_in_flight == 0
    assert found.paid_twice_in_flight <= kills * in_flight


async def everything_scored(kafka: str, topics: Topics, rows: int) -> bool:
    return await scored(kafka, topics) == rows
