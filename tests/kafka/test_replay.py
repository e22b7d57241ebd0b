"""`streamgauge replay` on a real broker, as its users run it, with a judge on 127.0.0.1.

F56 beside live traffic · F57 killed and resumed, trailing markers · F63 run twice
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from random import Random

import pytest

from schemas.score import ScoreEvent
from streams.address import Topics
from streams.command_line.options import Exit
from streams.kafka.sink import KafkaSink
from streams.pace import until
from tests.command import started
from tests.kafka.cluster_admin import a_connection, producer_of, read_all
from tests.kafka.processes import traces
from tests.kafka.replay_place import OURS, Place, placed
from tests.kafka.waiting import eventually
from tests.streams.watch.records import a_mark, a_tally, worked_off

pytestmark = pytest.mark.service


@pytest.fixture
async def place(kafka: str, topics: Topics, tmp_path: Path) -> AsyncIterator[Place]:
    async with placed(kafka, topics, tmp_path) as made:
        yield made


def ids(events: Sequence[ScoreEvent]) -> Counter[str]:
    return Counter(event.event_id for event in events)


def outcomes(events: Sequence[ScoreEvent]) -> dict[str, object]:
    return {event.event_id: event.outcome for event in events}


async def test_a_run_says_what_live_said_and_buys_none_of_it_again(place: Place) -> None:
    place.settle(probability=0.5)
    await place.write(traces(90))
    await place.run("score", "--once")
    live, paid = await place.events(), len(place.asked)

    await place.run("replay", "--run", "r")
    free = len(place.asked) == paid
    await place.run("replay", "--run", "s", "--again")

    assert 20 < len(live) < 70
    assert free
    assert len(place.asked) == 2 * paid
    for run in ("r", "s"):
        again = await place.events(run)
        assert ids(again) == ids(live)
        assert outcomes(again) == outcomes(live)
        assert {event.reused for event in again} == {run == "r"}
    assert await place.events() == live
    assert (await place.manifest("r")).spent.rows == 90


@pytest.mark.timeout(240)
async def test_ten_kills_leave_the_events_of_one_life_and_buy_none_twice(place: Place) -> None:
    """F57, I1, I2: a verdict is bought twice only where its call was in flight at a kill."""
    dice, kills = Random(5), 10
    await place.write(traces(240))
    place.slow = 0.05
    for _ in range(kills):
        before = len(place.asked)
        with started("replay", "--run", "r", "--again", cwd=place.folder):
            await until(partial(lambda least: len(place.asked) > least, before))
            await asyncio.sleep(dice.uniform(0, 0.4))
    await place.run("replay", "--run", "r", "--again")
    paid = Counter(place.asked)
    place.slow = 0

    await place.run("replay", "--run", "whole", "--again")

    again = await place.events("r")
    assert ids(again).keys() == ids(await place.events("whole")).keys()
    assert len(paid) == 240
    assert paid.total() - len(paid) <= kills * OURS
    run = await place.manifest("r")
    assert (run.state, run.life) == ("complete", kills + 1)


async def test_a_second_process_is_refused_while_the_first_works(place: Place) -> None:
    """F63"""
    await place.write(traces(9))
    place.free.clear()
    with started("replay", "--run", "r", cwd=place.folder) as first:
        await until(lambda: bool(place.asked))

        said = await place.run("replay", "--run", "r", code=Exit.TAKEN)

        assert f"process {first.pid}" in said
        place.free.set()
        assert await asyncio.to_thread(first.wait, 100) == 0
    assert set(ids(await place.events("r")).values()) == {1}
    assert len(place.asked) == 9


async def test_shards_share_the_partitions_of_a_run_that_ends_behind_markers(place: Place) -> None:
    """F57: a partition's last offsets hold no row, and a shard may have nothing to read."""
    await place.write(traces(30))
    topic = place.topics.traces
    async with producer_of(place.kafka, transactional_id=topic) as producer:
        async with producer.transaction():
            await producer.send_and_wait(topic, traces(1, first=30)[0], partition=2)
        await producer.begin_transaction()
        await producer.send_and_wait(topic, b"aborted", partition=2)
        await producer.abort_transaction()

    first, second = ("replay", "--run", "r", "--shard", "1/2"), ("replay", "--run", "r")
    await place.run(*first)
    of_first = {event.origin.partition for event in await place.events("r")}
    await place.run(*second, "--shard", "2/2")
    nothing = await place.run("replay", "--run", "n", "--shard", "4/4")

    assert of_first == {0, 2}
    assert sorted(ids(await place.events("r")).values()) == [1] * 31
    assert "no partition" in nothing
    marks = [
        json.loads(one.value or b"") for one in await read_all(place.kafka, place.topics.marks)
    ]
    assert {mark["run"] for mark in marks if mark.get("done")} == {"r"}


async def test_a_run_has_its_part_of_the_slots_and_asks_nothing_while_live_traffic_sheds(
    place: Place,
) -> None:
    """F56"""
    rows = 30
    await place.write(traces(rows))
    place.free.clear()
    async with KafkaSink(a_connection(place.kafka), place.topics, "g", "0") as live:
        with started("replay", "--run", "r", cwd=place.folder) as run:
            await until(lambda: len(place.asked) == OURS)
            await live.mark(a_mark(0, {0: worked_off()}))
            await live.publish([a_tally(0, rows=(0, 9), shed=3)])
            await until(lambda: "live_is_shed" in (place.folder / "log").read_text())
            place.free.set()
            await eventually(lambda: place.published("r", OURS))

            assert (len(place.asked), place.server.most) == (OURS, OURS)
            run.terminate()
            assert await asyncio.to_thread(run.wait, 60) == Exit.HALTED

    await place.run("replay", "--run", "r")

    assert sorted(place.asked) == list(range(rows))
