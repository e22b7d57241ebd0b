"""The watch half and its logs: what others write to them all the same."""

from pathlib import Path

import pytest

from streams.address import Topics
from streams.topics import PANES, changelog
from tests.kafka.cluster_admin import commits_of, producer_of, read_all, wait_for_leaders
from tests.kafka.command import run
from tests.kafka.test_watch import PARTITIONS, RULES, Story, members, watch_workers
from tests.kafka.waiting import eventually


@pytest.mark.service
async def test_what_a_former_owner_writes_late_to_a_changelog_is_written_over(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    story, group = Story(kafka, topics), f"{topics.traces}.group-watch"
    panes = changelog(group, PANES)

    async def latest() -> dict[bytes | None, bytes | None]:
        return {record.key: record.value for record in await read_all(kafka, panes)}

    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        await eventually(lambda: members(kafka, group, 1), within=60)
        await story.tell(range(3), seconds_each=0)
        await eventually(lambda: folded(kafka, group, topics, 3), within=60, every=0.5)
        written, before = await read_all(kafka, panes), await latest()
        async with producer_of(kafka) as producer:
            for record in written:
                if record.value != before[record.key]:
                    await producer.send_and_wait(
                        panes, record.value, record.key, partition=record.partition
                    )
        spoilt = await latest()
        await story.tell(range(3, 6), seconds_each=0)
        await eventually(lambda: folded(kafka, group, topics, 6), within=60, every=0.5)
        after = await latest()

    assert [key for key in before if spoilt[key] != before[key]]
    assert [key for key in before if after[key] == spoilt[key] != before[key]] == []


async def folded(kafka: str, group: str, topics: Topics, minutes: int) -> bool:
    """Say whether the marks of so many minutes are folded and committed."""
    marks = await commits_of(kafka, group, topics.marks)
    return all(marks.get(part, (0, ""))[0] == minutes for part in range(PARTITIONS))
