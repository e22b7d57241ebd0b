"""The watch half and its logs: what others write to them, and holes where no row ever was."""

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from streams.address import Topics
from streams.partitioning import partition_of
from streams.settings.load import load
from streams.topics import PANES, changelog
from streams.wiring.broker import Wiring
from tests.kafka.cluster_admin import (
    commits_of,
    delete_topics,
    producer_of,
    read_all,
    wait_for_leaders,
)
from tests.kafka.command import run
from tests.kafka.test_watch import (
    ASSISTANTS,
    PARTITIONS,
    RULES,
    Story,
    final_panes,
    in_hindsight,
    members,
    told,
    watch_workers,
)
from tests.kafka.waiting import eventually
from tests.streams.watch.records import a_mark, a_score, worked_off


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


@pytest.mark.service
async def test_the_marker_of_a_transaction_holds_up_no_row_behind_it(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    await in_transactions(kafka, topics, range(8), ASSISTANTS)
    panes, _ = await in_hindsight(kafka, topics, Wiring(load(tmp_path / "streamgauge.yaml")))

    async def same() -> bool:
        return await final_panes(kafka, topics.windows) == panes

    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        await eventually(same, within=45, every=0.5)

    assert len(panes) >= len(ASSISTANTS)


@pytest.mark.service
async def test_tables_of_which_one_changelog_was_lost_are_made_again_and_it_is_told(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    story, group = Story(kafka, topics), f"{topics.traces}.group-watch"

    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        await eventually(lambda: members(kafka, group, 1), within=60)
        await story.tell(range(18, 28), seconds_each=0)  # alerts fire
        await eventually(lambda: folded(kafka, group, topics, 10), within=60, every=0.5)
        workers.kill("0")
        told_before = "tables_begun_anew" in workers.log("0")
        await delete_topics(kafka, [changelog(group, PANES)])
        run(kafka, tmp_path, topics, "topics", "create", more=RULES)
        await story.tell(range(28, 32), seconds_each=0)
        panes, alerts = await in_hindsight(
            kafka, topics, Wiring(load(tmp_path / "streamgauge.yaml"))
        )

        async def same() -> bool:
            return await final_panes(kafka, topics.windows) == panes

        workers.start("0")
        await eventually(lambda: folded(kafka, group, topics, 14), within=60, every=0.5)
        await eventually(same, within=60, every=0.5)
        assert "tables_begun_anew" in workers.log("0")

    assert not told_before
    assert await told(kafka, topics.alerts) == alerts
    assert len(alerts) == 2


@pytest.mark.service
async def test_a_watch_half_that_slept_while_another_took_over_counts_nothing_twice(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    story, group = Story(kafka, topics), f"{topics.traces}.group-watch"

    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        await eventually(lambda: members(kafka, group, 1), within=60)
        await story.tell(range(18, 22), seconds_each=0)
        await eventually(lambda: folded(kafka, group, topics, 4), within=60, every=0.5)
        workers.running["0"].send_signal(signal.SIGSTOP)
        await story.tell(range(22, 28), seconds_each=0)  # alerts fire; a few rows are in its hands
        workers.start("1")
        await eventually(lambda: folded(kafka, group, topics, 10), within=60, every=0.5)
        workers.running["0"].send_signal(signal.SIGCONT)
        await eventually(lambda: members(kafka, group, 2), within=60)
        await story.tell(range(28, 32), seconds_each=0)
        await eventually(lambda: folded(kafka, group, topics, 14), within=60, every=0.5)
        panes, alerts = await in_hindsight(
            kafka, topics, Wiring(load(tmp_path / "streamgauge.yaml"))
        )

        async def same() -> bool:
            return await final_panes(kafka, topics.windows) == panes

        await eventually(same, within=60, every=0.5)
        assert "tables_begun_anew" not in workers.log("0") + workers.log("1")

    assert await told(kafka, topics.alerts) == alerts
    assert len(alerts) == 2


async def in_transactions(
    kafka: str, topics: Topics, minutes: range, assistants: Sequence[str]
) -> None:
    """Write a score of each assistant and minute, each minute in a transaction, then its marks."""
    keys = [assistant.encode() for assistant in assistants]
    parts = [partition_of(key, PARTITIONS) for key in keys]
    ends = [parts.count(part) + 1 for part in range(PARTITIONS)]  # a marker, too
    async with (
        producer_of(kafka) as marking,
        producer_of(kafka, transactional_id=topics.scores) as scoring,
    ):
        for minute in minutes:
            async with scoring.transaction():
                for row, (assistant, key, part) in enumerate(
                    zip(assistants, keys, parts, strict=True)
                ):
                    score = a_score(100 * minute + row, 60 * minute + 1, assistant=assistant)
                    await scoring.send(topics.scores, score.to_json(), key=key, partition=part)
            for part in range(PARTITIONS):
                scores = ends[part] * minute  # those of this minute wait for the next one
                mark = a_mark(60 * minute + 59, {0: worked_off()}, scores=max(0, scores - 1))
                await marking.send_and_wait(topics.marks, mark.to_json(), partition=part)


async def folded(kafka: str, group: str, topics: Topics, minutes: int) -> bool:
    """Say whether the marks of so many minutes are folded and committed."""
    marks = await commits_of(kafka, group, topics.marks)
    return all(marks.get(part, (0, ""))[0] == minutes for part in range(PARTITIONS))
