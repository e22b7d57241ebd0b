"""The watch half on a real broker: killed at random, its panes and alerts are those of one life."""

import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from aiokafka import TopicPartition
from aiokafka.admin import RecordsToDelete
from aiokafka.errors import KafkaError

from schemas.alert import Alert
from schemas.pane import Pane
from schemas.score import ScoreEvent
from schemas.tally import Tally
from streams.address import Topics
from streams.partitioning import partition_of
from streams.settings.load import load
from streams.wiring.broker import Wiring
from streams.wiring.watching import WatchWiring
from tests.kafka.broker import die_with_parent, running
from tests.kafka.cluster_admin import (
    admin_of,
    commits_of,
    producer_of,
    read_all,
    wait_for_leaders,
)
from tests.kafka.command import run
from tests.kafka.waiting import eventually
from tests.streams.watch.records import a_mark, a_score, a_tally, at, bad, good, worked_off

PARTITIONS = 8
ASSISTANTS = [f"shop-{n}/production" for n in range(8)]
MINUTES = 90
BAD = range(20, 40)
"""The minutes in which two assistants answer badly."""
EACH = 5
"""Rows of an assistant and minute."""
RULES = """
alerts:
  - {name: bad-answers, kind: threshold, scorer: faithfulness, above: 0.10, window: 15m, min_n: 30}
"""


class Story:
    """Scores, tallies and marks as a score half would write them, minute by minute."""

    def __init__(self, servers: str, topics: Topics) -> None:
        self._servers, self._topics = servers, topics
        self.written: Counter[int] = Counter()
        self.told = 0
        self._rows, self._random = 0, random.Random(5)

    async def tell(self, minutes: range, *, seconds_each: float) -> None:
        async with producer_of(self._servers) as producer:
            for minute in minutes:
                sent = []
                for message in self._minute(minute):
                    key = message.assistant.encode()
                    part = partition_of(key, PARTITIONS)
                    self.written[part] += 1
                    sent.append(
                        producer.send(
                            self._topics.scores, message.to_json(), key=key, partition=part
                        )
                    )
                for answer in [await one for one in sent]:
                    await answer
                await self._mark(producer, minute)
                self.told = minute
                await asyncio.sleep(seconds_each)

    def _minute(self, minute: int) -> Iterator[ScoreEvent | Tally]:
        for number, assistant in enumerate(ASSISTANTS):
            first, self._rows = self._rows, self._rows + EACH
            chance = 0.5 if number < 2 and minute in BAD else 0.01
            for n in range(EACH):
                outcome = bad() if self._random.random() < chance else good()
                second = 60 * minute + 10 * n
                yield a_score(first + n, second, outcome, assistant=assistant)
            yield a_tally(60 * minute, rows=(first, first + EACH), assistant=assistant)

    async def _mark(self, producer: object, minute: int) -> None:
        for part in range(PARTITIONS):
            mark = a_mark(60 * minute + 59, {0: worked_off(self._rows)}, scores=self.written[part])
            await producer.send_and_wait(self._topics.marks, mark.to_json(), partition=part)  # type: ignore[attr-defined]


class WatchWorkers:
    """Watch halves by slot."""

    def __init__(self, settings: Path) -> None:
        self.settings = settings
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, slot: str) -> None:
        environment = {**os.environ, "STREAMGAUGE_KAFKA__SLOT": slot}  # noqa: TID251 - a child's
        with (self.settings.parent / f"watch-{slot}.log").open("ab") as log:
            self.running[slot] = subprocess.Popen(  # noqa: S603 - our own worker
                [sys.executable, "-m", "tests.kafka.watch_worker", str(self.settings)],
                env=environment,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    def kill(self, slot: str) -> None:
        process = self.running.pop(slot)
        process.kill()
        process.wait()

    def log(self, slot: str) -> str:
        return (self.settings.parent / f"watch-{slot}.log").read_text()


@contextmanager
def watch_workers(settings: Path) -> Iterator[WatchWorkers]:
    workers = WatchWorkers(settings)
    try:
        yield workers
    finally:
        for slot in list(workers.running):
            workers.kill(slot)


async def final_panes(kafka: str, topic: str) -> dict[str, object]:
    """Return each final pane as it was published last."""
    panes = [Pane.model_validate_json(r.value or b"") for r in await read_all(kafka, topic)]
    last = {pane.key: pane for pane in panes}
    return {key: json.loads(pane.to_json()) for key, pane in last.items() if pane.final}


async def told(kafka: str, topic: str) -> set[bytes]:
    """Return the alerts that were published. A crash may have one published twice."""
    return {record.value or b"" for record in await read_all(kafka, topic)}


async def in_hindsight(
    kafka: str, topics: Topics, wiring: Wiring
) -> tuple[dict[str, object], set[bytes]]:
    """Fold both topics anew, in one life that never ends."""
    watches = WatchWiring(wiring).watches(partitions=PARTITIONS)
    news = []
    for topic in (topics.scores, topics.marks):
        for record in await read_all(kafka, topic):
            news += watches.fold(record)
    panes = {p.key: json.loads(p.to_json()) for p in news if isinstance(p, Pane) and p.final}
    return panes, {a.to_json() for a in news if isinstance(a, Alert)}


@pytest.mark.service
@pytest.mark.timeout(400)
async def test_killed_watch_halves_come_to_the_panes_and_alerts_of_one_life(
    topics: Topics, tmp_path: Path
) -> None:
    """I11 and I12: alerts once, panes equal to a recomputation from the scores topic."""
    async with running(tmp_path) as cluster:
        await killed_at_random(cluster.address, topics, tmp_path)


async def killed_at_random(kafka: str, topics: Topics, tmp_path: Path) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    story, chance = Story(kafka, topics), random.Random(11)
    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        workers.start("1")
        telling = asyncio.ensure_future(story.tell(range(MINUTES), seconds_each=0.35))
        kills = 0
        while not telling.done():
            await asyncio.sleep(chance.uniform(2, 6))
            slot = chance.choice("01")
            workers.kill(slot)
            workers.start(slot)
            kills += 1
        await telling
        panes, alerts = await in_hindsight(
            kafka, topics, Wiring(load(tmp_path / "streamgauge.yaml"))
        )

        async def same() -> bool:
            return await final_panes(kafka, topics.windows) == panes

        try:
            await eventually(same, within=90, every=1)
        except TimeoutError:
            pytest.fail(workers.log("0")[-3000:] + workers.log("1")[-3000:])

    assert kills >= 5
    assert len(panes) > MINUTES * len(ASSISTANTS)
    assert await told(kafka, topics.alerts) == alerts
    statuses = [json.loads(alert)["status"] for alert in alerts]
    assert statuses.count("firing") == 2
    assert statuses.count("resolved") == 2


@pytest.mark.service
async def test_what_a_dead_watch_half_had_is_taken_over_within_20_seconds(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    story = Story(kafka, topics)

    async def all_told(since: int) -> bool:
        """Say whether each assistant has a pane that begins in that minute or later."""
        panes = [
            Pane.model_validate_json(r.value or b"") for r in await read_all(kafka, topics.windows)
        ]
        return len({p.assistant for p in panes if p.start >= at(60 * since)}) == len(ASSISTANTS)

    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        workers.start("1")
        telling = asyncio.ensure_future(story.tell(range(400), seconds_each=0.3))
        try:
            await eventually(lambda: members(kafka, f"{topics.traces}.group-watch", 2), within=30)
            await eventually(partial(all_told, story.told), within=30, every=0.5)

            workers.kill("1")
            killed = time.monotonic()
            await eventually(partial(all_told, story.told + 1), within=60, every=0.5)
        finally:
            telling.cancel()
            await asyncio.wait({telling})

    assert time.monotonic() - killed < 20


@pytest.mark.service
async def test_rows_that_retention_took_hold_up_neither_panes_nor_commits(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    run(kafka, tmp_path, topics, "topics", "create", more=RULES)
    await wait_for_leaders(kafka, (topics.scores, topics.marks), partitions=PARTITIONS)
    story, group = Story(kafka, topics), f"{topics.traces}.group-watch"

    async def committed(minutes: int) -> bool:
        """Say whether all that was told is committed, and so was folded."""
        scores = await commits_of(kafka, group, topics.scores)
        marks = await commits_of(kafka, group, topics.marks)
        told = {part: rows for part, rows in story.written.items() if rows}
        return {part: offset for part, (offset, _) in scores.items() if offset} == told and all(
            marks.get(part, (0, ""))[0] == minutes for part in range(PARTITIONS)
        )

    with watch_workers(tmp_path / "streamgauge.yaml") as workers:
        workers.start("0")
        await eventually(lambda: members(kafka, group, 1), within=60)
        await story.tell(range(4), seconds_each=0)
        await eventually(lambda: committed(4), within=60, every=0.5)
        workers.kill("0")
        await story.tell(range(4, 8), seconds_each=0)
        async with admin_of(kafka) as admin:
            old = {TopicPartition(topics.scores, p): n - 3 for p, n in story.written.items() if n}
            old |= {TopicPartition(topics.marks, part): 7 for part in range(PARTITIONS)}
            await admin.delete_records({at: RecordsToDelete(before) for at, before in old.items()})
        workers.start("0")
        await story.tell(range(8, 12), seconds_each=0)

        await eventually(lambda: committed(12), within=60, every=0.5)
        assert "rows_missing" in workers.log("0")


async def members(kafka: str, group: str, count: int) -> bool:
    """Say whether a group has so many members, and each has partitions."""
    async with admin_of(kafka) as admin:
        try:
            (answer,) = await admin.describe_consumer_groups([group])
        except KafkaError:  # the broker is still making the topic of the groups
            return False
    described = answer.to_object()["groups"][0]
    return described["state"] == "Stable" and len(described["members"]) == count
