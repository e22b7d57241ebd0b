"""`streamgauge check` on a real broker: it looks, and takes part in nothing."""

import json
import time
from pathlib import Path

import pytest

from streams.address import Topics
from streams.kafka.connection import connection
from streams.kafka.glance import glance
from tests.kafka.cluster_admin import producer_of, put
from tests.kafka.command import run
from tests.kafka.flow import prepare

pytestmark = pytest.mark.service


def rows(count: int) -> list[bytes]:
    """Return rows of one a second."""
    row = {
        "service": "helpdesk",
        "contexts": ["We open at 10 am on weekdays."],
        "answer": "We open at 10 am on weekdays. [1]",
    }
    return [
        json.dumps(
            row | {"trace_id": f"t-{n}", "answered_at": f"2026-01-01T12:{n // 60:02}:{n % 60:02}Z"}
        ).encode()
        for n in range(count)
    ]


async def test_check_looks_at_the_latest_rows_of_every_partition(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics, 0, partitions=3)
    for partition in range(3):
        await put(kafka, topics.traces, rows(600)[partition::3], partition=partition)
    await put(kafka, topics.traces, [b"not json"], partition=1)

    done = run(kafka, tmp_path, topics, "check")

    assert done.returncode == 3, done.stdout + done.stderr
    assert f"topic {topics.traces}: 3 partition(s), 601 records" in done.stdout
    assert "rows: 200 of the last 201 can be read" in done.stdout
    assert "1 rejected: not_json" in done.stdout
    assert "traffic: about 86,400 rows a day, by 200 from 2026-01-01 12:06" in done.stdout
    assert "scorer faithfulness can judge 200 of 200 rows" in done.stdout


async def test_check_names_the_topics_that_are_not_there_and_the_way_out(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    done = run(kafka, tmp_path, topics, "check")

    assert done.returncode == 3
    assert f"topic {topics.traces} is not there: streamgauge topics create makes it" in done.stdout
    assert f"topic {topics.dead} is not there" in done.stdout


def test_check_says_in_one_line_that_no_broker_answers(topics: Topics, tmp_path: Path) -> None:
    began = time.monotonic()

    done = run("127.0.0.1:9", tmp_path, topics, "check")

    assert done.returncode == 3
    assert "broker: no Kafka answers: 127.0.0.1:9 refuses" in done.stdout
    assert "Traceback" not in done.stderr
    assert "judge rules: asks nobody" in done.stdout
    assert time.monotonic() - began < 60


async def test_a_glance_reads_on_from_the_first_row_of_a_time(kafka: str, topics: Topics) -> None:
    await prepare(kafka, topics, 0, partitions=1)
    noon = time.time_ns() // 1_000_000 - 60_000
    async with producer_of(kafka) as producer:
        for at in (1_000, 5_000, 3_000, 9_000):
            await producer.send_and_wait(topics.traces, b"%d" % at, timestamp_ms=noon + at)

    async with glance(connection(kafka, slot="0")) as look:
        found = {
            since: [
                record.value
                async for batch in look.onwards(topics.traces, 0, since=noon + since)
                for record in batch
            ]
            for since in (0, 4_000, 9_001)
        }

    assert found == {
        0: [b"1000", b"5000", b"3000", b"9000"],
        4_000: [b"5000", b"3000", b"9000"],
        9_001: [],
    }


async def test_a_glance_joins_no_group_and_can_be_taken_again(kafka: str, topics: Topics) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    await put(kafka, topics.traces, [b"0", b"1", b"2"], partition=1)

    async with glance(connection(kafka, slot="0")) as look:
        found = [await look.latest(topics.traces, rows) for rows in (2, 100)]
        sizes = await look.sizes(topics.traces)
        nothing = (await look.sizes("no-such-topic"), await look.latest("no-such-topic", 9))

    assert [[record.value for record in records] for records in found] == [
        [b"1", b"2"],
        [b"0", b"1", b"2"],
    ]
    assert sizes == {0: 0, 1: 3}
    assert nothing == ({}, [])
