"""`streamgauge topics` on a real broker."""

from pathlib import Path

import pytest

from streams.address import Topics
from tests.kafka.cluster_admin import make_topics
from tests.kafka.command import run


@pytest.mark.service
async def test_topics_are_made_once_and_then_found_well(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await make_topics(kafka, [topics.scores], partitions=3)

    before = run(kafka, tmp_path, topics, "topics", "check")
    made = run(kafka, tmp_path, topics, "topics", "create")
    again = run(kafka, tmp_path, topics, "topics", "create")
    after = run(kafka, tmp_path, topics, "topics", "check")

    assert (before.returncode, made.returncode, after.returncode) == (3, 0, 0), made.stderr
    assert f"{topics.traces}: is not there" in before.stdout
    assert f"{topics.scores}: is there" in made.stdout
    assert f"{topics.dead}: made" in made.stdout
    assert ": made" not in again.stdout
    assert f"{topics.traces}: 8 partitions" in after.stdout
    assert f"{topics.marks}: 3 partitions" in after.stdout


@pytest.mark.service
async def test_marks_that_are_compacted_are_told_with_the_command_that_mends_them(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await make_topics(kafka, [topics.marks], cleanup_policy="compact")
    run(kafka, tmp_path, topics, "topics", "create")

    done = run(kafka, tmp_path, topics, "topics", "check")

    assert done.returncode == 3
    assert "cleanup.policy is compact, must be delete" in done.stdout
    assert f"--entity-name {topics.marks} --add-config cleanup.policy=[delete]" in done.stdout


@pytest.mark.service
def test_more_copies_than_brokers_is_one_clear_line(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    done = run(kafka, tmp_path, topics, "topics", "create", of_kafka=", replication: 3")

    assert done.returncode == 1
    assert "replication factor of 3" in done.stderr
    assert "Traceback" not in done.stderr
