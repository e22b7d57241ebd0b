"""`streamgauge dead` on a real broker, as its users run it."""

import json
from pathlib import Path

import pytest

from streams.address import EVENT_ID, Topics
from tests.kafka.cluster_admin import make_all, producer_of, put, read_all
from tests.kafka.command import run

NAMELESS = b'{"trace_id": "t-1", "contexts": ["We open at 10."], "answer": "We open at 10. [1]"}'
THEN = 1_760_000_000_000


@pytest.mark.service
async def test_letters_are_listed_and_go_back_once_to_where_they_came_from(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await make_all(kafka, topics, partitions=3)
    async with producer_of(kafka) as producer:
        headers = [("h", b"\xff"), ("baggage", None), ("traceparent", None)]
        await producer.send_and_wait(topics.traces, NAMELESS, b"k-1", 2, THEN, headers)
    await put(kafka, topics.traces, [b"broken"], partition=1)
    run(kafka, tmp_path, topics, "score", "--once")

    listed = run(kafka, tmp_path, topics, "dead", "list", "--reason", "no_identity")
    dry = run(kafka, tmp_path, topics, "dead", "redrive")
    sent = run(kafka, tmp_path, topics, "dead", "redrive", "--reason", "no_identity", "--yes")
    again = run(kafka, tmp_path, topics, "dead", "redrive", "--reason", "no_identity", "--yes")
    run(kafka, tmp_path, topics, "score", "--once", "--assistant", "shop/production")

    count, letter = map(json.loads, listed.stdout.splitlines())
    assert (count["waiting"], letter["origin"]) == (1, f"{topics.traces}/2/0")
    assert "We open" not in listed.stdout
    assert json.loads(dry.stdout)["chosen"] == 2
    assert (json.loads(sent.stdout)["sent"], json.loads(again.stdout)["sent"]) == (1, 0)
    first, second = (r for r in await read_all(kafka, topics.traces) if r.partition == 2)
    assert (second.key, second.value, second.timestamp) == (b"k-1", NAMELESS, THEN)
    assert second.headers[0] == ("h", b"\xff")
    assert dict(second.headers)["streamgauge-redrives"] == b"1"
    assert [name for name, _ in first.headers] == ["h", "baggage", "traceparent"]
    events = [r for r in await read_all(kafka, topics.scores) if EVENT_ID in dict(r.headers)]
    assert len(events) == 2


@pytest.mark.service
async def test_a_partition_that_is_stopped_ends_a_bounded_run_that_is_not_well(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await make_all(kafka, topics, partitions=1)
    await put(kafka, topics.traces, [b"broken"] * 1200)

    done = run(kafka, tmp_path, topics, "score", "--once")

    assert done.returncode == 3, done.stderr
    assert "end_not_reached" in done.stderr


@pytest.mark.service
async def test_a_row_that_fails_again_comes_back_counted(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await make_all(kafka, topics, partitions=1)
    await put(kafka, topics.traces, [b"broken"], partition=0)
    run(kafka, tmp_path, topics, "score", "--once")

    run(kafka, tmp_path, topics, "dead", "redrive", "--yes")
    run(kafka, tmp_path, topics, "score", "--once")
    stays = run(kafka, tmp_path, topics, "dead", "redrive", "--yes", "--max-redrives", "1")

    listed = run(kafka, tmp_path, topics, "dead", "list")
    count, letter = map(json.loads, listed.stdout.splitlines())
    assert (count["waiting"], count["sent_back"]) == (1, 1)
    assert (letter["attempts"], letter["redrives"]) == (2, 1)
    assert stays.returncode == 3
    assert json.loads(stays.stdout)["stay"] == {"came back as often as --max-redrives says": 1}
