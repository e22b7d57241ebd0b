"""What `streamgauge replay` says on a real broker of what it cannot read, write, or begin.

F57 empty range, start after end, retention ate the start
"""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete

from schemas.wire import rfc3339
from streams.address import Topics
from streams.command_line.options import Exit
from streams.pace import now
from tests.kafka.cluster_admin import admin_of, delete_topics
from tests.kafka.processes import traces
from tests.kafka.replay_place import Place, placed

pytestmark = pytest.mark.service


@pytest.fixture
async def place(kafka: str, topics: Topics, tmp_path: Path) -> AsyncIterator[Place]:
    async with placed(kafka, topics, tmp_path) as made:
        yield made


async def test_what_is_not_there_is_complete_at_once_and_what_cannot_be_is_refused(
    place: Place,
) -> None:
    """F57: empty range, start after end, and times in the future"""
    await place.write(traces(9))
    long_ago, later = "2001-01-01T00:00:00Z", rfc3339(now() + timedelta(days=1))

    said = await place.run("replay", "--run", "r", "--to", long_ago)
    both = "--from", "2002-01-01T00:00:00Z", "--to", long_ago
    crossed = await place.run("replay", "--run", "s", *both, code=Exit.WRONG)
    early = await place.run("replay", "--run", "s", "--from", later, code=Exit.WRONG)

    assert "run_complete" in said
    assert "is after --to" in crossed
    assert "in the future" in early
    assert place.asked == []


async def test_rows_that_retention_took_are_a_gap_that_ends_a_run_with_its_own_code(
    place: Place,
) -> None:
    """F57: retention ate the start"""
    since = rfc3339(now() - timedelta(minutes=1))
    await place.write(traces(9))
    async with admin_of(place.kafka) as admin:
        await admin.delete_records({TopicPartition(place.topics.traces, 0): RecordsToDelete(2)})

    said = await place.run("replay", "--run", "r", "--from", since, code=Exit.NOT_WELL)

    assert f"{place.topics.traces}/0: rows since {since} may be gone" in said
    assert len(await place.events("r")) == 7
    assert (await place.manifest("r")).state == "complete"


async def test_a_dry_run_asks_nobody_and_writes_nothing(place: Place) -> None:
    await place.write(traces(60))
    await delete_topics(place.kafka, [place.topics.runs])

    said = await place.run("replay", "--run", "r", "--dry-run", "--json")

    estimate = json.loads(next(line for line in said.splitlines() if '"sampled"' in line))
    assert (estimate["rows"], estimate["sampled"], estimate["calls"]) == (60, 60, 60)
    assert place.asked == []
    assert await place.events("r") == []


async def test_topics_that_are_not_there_are_named_with_the_command_that_makes_them(
    place: Place,
) -> None:
    await place.write(traces(9))
    await delete_topics(place.kafka, [place.topics.runs])

    said = await place.run("replay", "--run", "r", code=Exit.WRONG)
    checked = await place.run("topics", "check", code=Exit.NOT_WELL)
    await place.run("topics", "create")
    await place.run("replay", "--run", "r")

    for each in (said, checked):
        assert place.topics.runs in each
        assert "streamgauge topics create" in each
    assert len(await place.events("r")) == 9
