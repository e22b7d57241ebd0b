"""`streamgauge replay` stopped, killed, started twice and taken up: one run in several lives."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from schemas.wire import rfc3339
from streams.command_line.options import Exit
from streams.pace import until
from tests.command import started
from tests.streams.replay_place import BEGAN, ROWS, Place, a_place, ids, write_rows

pytestmark = pytest.mark.service


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with a_place(tmp_path) as made:
        yield made


async def test_a_run_keeps_its_configuration_whatever_the_settings_say_later(place: Place) -> None:
    first = "--budget=20calls"
    await place.run("replay", "--run", "r", first, code=Exit.HALTED)
    place.settle(model="judge-2", probability=1.0)

    said = await place.run("replay", "--run", "r", "--budget", "none")

    [config] = {event.config_hash for event in place.events("r")}
    assert place.manifest("r").configs == {"faithfulness": config}
    assert {event.judge.model for event in place.events("r")} == {"judge-1"}
    assert {event.sampling.probability for event in place.events("r")} == {0.5}
    assert "run_complete" in said


async def test_a_budget_stops_a_run_in_order_and_can_be_raised(place: Place) -> None:
    place.slow = 0.01

    said = await place.run("replay", "--run", "r", "--budget", "10calls", code=Exit.HALTED)
    before = len(place.events("r"))
    await place.run("replay", "--run", "r", "--budget", "1000calls")

    assert "calls are made" in said
    in_flight = 3  # rows: 30 % of the judge's slots
    assert 10 <= before < 10 + in_flight
    assert max(ids(place.events("r")).values()) == 1
    assert len(place.asked) == len(place.events("r"))
    spent = place.manifest("r").spent
    assert (spent.judged, spent.calls) == (len(place.asked), len(place.asked))


async def test_a_second_process_is_refused_while_the_first_works(place: Place) -> None:
    place.slow = 30
    with started("replay", "--run", "r", cwd=place.folder) as first:
        await until(lambda: bool(place.asked))
        place.slow = 0

        said = await place.run("replay", "--run", "r", code=Exit.TAKEN)

        assert "is worked on" in said
        assert await asyncio.to_thread(first.wait, 60) == 0
    assert max(ids(place.events("r")).values()) == 1


async def test_a_run_that_is_asked_to_stop_ends_what_it_began_and_goes_on_later(
    place: Place,
) -> None:
    place.slow = 0.5
    with started("replay", "--run", "r", cwd=place.folder) as process:
        await until(lambda: bool(place.events("r")))
        process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(process.wait, 60) == Exit.HALTED
    stopped, place.slow = place.manifest("r"), 0

    await place.run("replay", "--run", "r")

    assert (stopped.state, stopped.lease) == ("stopped", None)
    assert len(place.asked) == len(place.events("r")), "nothing was bought twice"


async def test_a_judge_that_may_not_be_asked_stops_the_run_until_it_is(place: Place) -> None:
    place.status = 401
    with started("replay", "--run", "r", cwd=place.folder) as process:
        code = await asyncio.to_thread(process.wait, 100)

    assert code == Exit.HALTED
    judged = [event for event in place.events("r") if event.outcome.status == "scored"]
    assert judged == []

    place.status = 200
    await place.run("replay", "--run", "r")

    assert place.manifest("r").state == "complete"


async def test_a_run_that_began_with_other_times_is_not_taken_up(place: Place) -> None:
    await place.run("replay", "--run", "r", "--budget", "5calls", code=Exit.HALTED)

    said = await place.run("replay", "--run", "r", "--from", rfc3339(BEGAN), code=Exit.WRONG)

    assert "--from: run r began with none" in said


@pytest.mark.timeout(240)
async def test_ten_kills_leave_the_events_of_one_life_and_buy_none_twice(place: Place) -> None:
    """I2: a verdict is bought twice only where its call was in flight at a kill."""
    dice = Random(5)
    write_rows(place.folder / "topics" / "rag.traces" / "1.jsonl", 3 * ROWS)
    place.slow = 0.05
    kills = 10
    for _ in range(kills):
        before = len(place.events("r"))
        with started("replay", "--run", "r", "--again", cwd=place.folder):
            await until(partial(lambda least: len(place.events("r")) > least, before))
            await asyncio.sleep(dice.uniform(0, 0.2))
    await place.run("replay", "--run", "r", "--again")
    paid = len(place.asked)

    await place.run("replay", "--run", "whole", "--again")

    assert ids(place.events("r")) == ids(place.events("whole"))
    assert paid - len(place.asked[paid:]) <= kills * 3  # each life has 3 calls in flight at most
    assert place.manifest("r").life == kills + 1
    assert place.manifest("r").spent.judged == len(place.events("r"))  # whoever was killed


async def test_shards_share_a_run_and_the_last_one_ends_it(place: Place) -> None:
    write_rows(place.folder / "topics" / "rag.traces" / "1.jsonl", ROWS)

    await place.run("replay", "--run", "r", "--shard", "1/2")
    first = {event.origin.partition for event in place.events("r")}
    await place.run("replay", "--run", "r", "--shard", "2/2")
    await place.run("replay", "--run", "whole")

    assert first == {0}
    assert ids(place.events("r")) == ids(place.events("whole"))
    marks = (place.folder / "topics" / "rag.marks" / "0.jsonl").read_text().splitlines()
    done = [json.loads(line)["value"] for line in marks if '"done":true' in line]
    assert [mark["run"] for mark in done] == ["r", "whole"]
