"""`streamgauge assemble` on a real broker: whatever becomes of it, the same rows."""

import asyncio
import random
import signal
from pathlib import Path

import pytest

from streams.address import Topics
from streams.topics import SPANS_BY_TRACE
from tests.kafka.assembling import (
    PARTITIONS,
    Writing,
    assembling,
    lives,
    prepare,
    spans_topic,
    wanted,
    written,
)
from tests.kafka.cluster_admin import commits_of, producer_of, read_all
from tests.kafka.command import run, settings
from tests.kafka.waiting import eventually
from tests.streams.assemble.conversations import a_conversation, in_pieces
from tests.streams.assemble.otlp_batches import as_proto

pytestmark = pytest.mark.service


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "how", ["", ", by_trace: false"], ids=["two workers", "one that cuts records up"]
)
async def test_killed_at_random_points_the_same_rows_are_written_and_no_other(
    kafka: str, topics: Topics, tmp_path: Path, how: str
) -> None:
    slots = "0" if how else "01"
    kills = 2 * len(slots)
    await prepare(kafka, topics)
    settings(kafka, tmp_path, topics, assembling(topics, how))
    rng = random.Random(11)

    async def more() -> None:
        """Wait for some more rows than there are."""
        enough = len(await read_all(kafka, topics.traces)) + 10

        async def there() -> bool:
            return len(await read_all(kafka, topics.traces)) >= enough

        await eventually(there, within=60, every=0.2)

    with lives(tmp_path) as some:
        for slot in slots:
            some.start(slot)
        async with Writing(kafka, spans_topic(topics), keyed=not how) as writing:
            for kill in range(kills):
                slot = slots[kill % len(slots)]
                await some.runs(slot)
                await more()
                await asyncio.sleep(rng.uniform(0, 1.5))  # the point in time is what is tried
                some.end(slot, signal.SIGKILL)
                some.start(slot)

        rows_wanted = wanted(writing.first, writing.end)

        async def all_there() -> bool:
            return rows_wanted.keys() <= (await written(kafka, topics))[0].keys()

        await eventually(all_there, within=60, every=0.5)
        for slot in slots:
            await some.runs(slot)
        codes = [some.end(slot, signal.SIGTERM) for slot in slots]

    found, records = await written(kafka, topics)
    assert {key: found[key] for key in rows_wanted} == rows_wanted
    assert how or found.keys() == rows_wanted.keys()
    assert set(codes) == {0}, "".join(map(some.log, slots))
    assert records <= len(found) + kills, "what was written is known again, all but always"


async def test_what_is_open_at_a_stop_is_not_written_and_not_committed(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics)
    settings(kafka, tmp_path, topics, assembling(topics))
    group = f"{topics.traces}.group-assemble"

    with lives(tmp_path) as some:
        some.start("0")
        async with Writing(kafka, spans_topic(topics)) as writing:
            await eventually(lambda: writing.end >= writing.first + 4)

        async def committed() -> bool:
            return len(await commits_of(kafka, group, spans_topic(topics))) == PARTITIONS

        await eventually(committed)
        await some.runs("0")
        some.end("0", signal.SIGTERM)
        early, _ = await written(kafka, topics)
        some.start("0")

        async def all_there() -> bool:
            return (await written(kafka, topics))[0] == wanted(writing.first, writing.end)

        await eventually(all_there)
        assert len(early) <= writing.end - writing.first


@pytest.mark.parametrize("how", [", by_trace: false", ""], ids=["as told", "found out"])
async def test_records_that_mix_traces_and_have_no_key_are_cut_up_first(
    kafka: str, topics: Topics, tmp_path: Path, how: str
) -> None:
    await prepare(kafka, topics)
    first = 1_000 if how else 2_000
    spans = [span for number in range(first, first + 60) for span in a_conversation(number)]
    async with producer_of(kafka) as producer:
        for number, piece in enumerate(in_pieces(spans, seed=5)):
            topic, value = spans_topic(topics), as_proto(piece)
            await producer.send_and_wait(topic, value, partition=number % PARTITIONS)

    done = await asyncio.to_thread(
        run, kafka, tmp_path, topics, "assemble", "--once", more=assembling(topics, how)
    )

    assert done.returncode == 0, done.stdout
    ours = wanted(first, first + 60)
    found, records = await written(kafka, topics)
    assert {key: found.get(key) for key in ours} == ours
    assert records >= 60


async def test_what_a_killed_life_had_cut_up_becomes_rows_though_no_more_spans_come(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics)
    spans = [span for number in range(3_000, 3_020) for span in a_conversation(number)]
    pieces = list(in_pieces(spans, seed=5))
    async with producer_of(kafka) as producer:
        for number, piece in enumerate(pieces):
            topic, value = spans_topic(topics), as_proto(piece)
            await producer.send_and_wait(topic, value, partition=number % PARTITIONS)
    long = f"assemble: {{topic: {spans_topic(topics)}, quiet_after_root: 60s, max_wait: 60s}}\n"
    settings(kafka, tmp_path, topics, long)
    group = f"{topics.traces}.group-assemble"

    async def cut_up() -> bool:
        passed = await commits_of(kafka, group, spans_topic(topics))
        begun = await commits_of(kafka, f"{group}-spans", SPANS_BY_TRACE)
        all_passed = sum(offset for offset, _ in passed.values()) == len(pieces)
        return all_passed and len(begun) == PARTITIONS

    with lives(tmp_path) as some:
        some.start("0")
        await eventually(lambda: "records_mix_traces" in some.log("0"), within=60)
        await eventually(cut_up, within=60)
        some.end("0", signal.SIGKILL)
    early, _ = await written(kafka, topics)

    done = await asyncio.to_thread(
        run, kafka, tmp_path, topics, "assemble", "--once", more=assembling(topics)
    )

    assert done.returncode == 0, done.stdout
    ours = wanted(3_000, 3_020)
    found, _ = await written(kafka, topics)
    assert early == {}
    assert {key: found.get(key) for key in ours} == ours
