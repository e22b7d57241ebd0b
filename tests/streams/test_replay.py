"""`streamgauge replay` as its users run it: what a run covers, draws, buys and writes."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.wire import rfc3339
from streams.command_line.options import Exit
from tests.streams.replay_place import BEGAN, ROWS, Place, a_place, ids, outcomes

pytestmark = pytest.mark.service


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with a_place(tmp_path) as made:
        yield made


async def test_a_run_draws_what_live_drew_and_buys_none_of_it_again(place: Place) -> None:
    await place.run("score", "--once")
    live, paid = place.events(), len(place.asked)

    await place.run("replay", "--run", "r")

    again = place.events("r")
    assert ids(again) == ids(live)
    assert len(place.asked) == paid
    assert {(one.mode, one.reused, one.usage.calls) for one in again} == {("replay", True, 0)}
    assert outcomes(again) == outcomes(live)
    assert place.events() == live


async def test_what_live_never_judged_is_judged_and_more_rows_may_be_drawn(place: Place) -> None:
    await place.run("replay", "--run", "r", "--probability", "0.9")
    some = ids(place.events("r"))

    await place.run("score", "--once")

    assert len(some) > len(ids(place.events()))
    assert ids(place.events()).keys() < some.keys()
    assert await place.run("replay", "--run", "s", "--probability", "0.1", code=Exit.WRONG)


async def test_verdicts_are_bought_anew_where_that_is_asked(place: Place) -> None:
    await place.run("score", "--once")
    paid = len(place.asked)

    await place.run("replay", "--run", "r", "--again")

    assert len(place.asked) == 2 * paid
    assert not any(event.reused for event in place.events("r"))


async def test_a_run_covers_the_times_that_were_asked_for(place: Place) -> None:
    begin, end = BEGAN + timedelta(minutes=10), BEGAN + timedelta(minutes=30)

    await place.run("replay", "--run", "r", "--from", rfc3339(begin), "--to", rfc3339(end))

    times = [event.trace.answered_at for event in place.events("r")]
    assert begin <= min(times)
    assert max(times) < end
    assert place.manifest("r").spent.rows == 40


async def test_a_dry_run_asks_nobody_and_writes_nothing(place: Place) -> None:
    said = await place.run("replay", "--run", "r", "--dry-run", "--json")

    estimate = json.loads(next(line for line in said.splitlines() if '"sampled"' in line))
    assert estimate["rows"] == ROWS
    assert 30 < estimate["sampled"] < 90
    assert estimate["calls"] == estimate["sampled"]
    assert estimate["cost_usd"] > 0
    assert place.asked == []
    topics = place.folder / "topics"
    assert [path.name for path in topics.rglob("*")] == ["rag.traces", "0.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--from", "2020-01-02T00:00:00Z", "--to", "2020-01-01T00:00:00Z"), Exit.WRONG, "after"),
        (("--from", "2999-01-01T00:00:00Z"), Exit.WRONG, "future"),
        (("--to", "2001-01-01T00:00:00Z"), Exit.DONE, "run_complete"),
        (("--shard", "2/2"), Exit.DONE, "no partition"),
        (("--broker", "folder:nowhere"), Exit.WRONG, "there is no topic rag.traces"),
    ],
)
async def test_what_cannot_be_replayed_is_said_with_its_exit_code(
    place: Place, arguments: tuple[str, ...], code: Exit, words: str
) -> None:
    said = await place.run("replay", "--run", "r", *arguments, code=code)

    assert words in said


async def test_a_file_is_replayed_like_a_topic(place: Place) -> None:
    lines = (place.folder / "topics" / "rag.traces" / "0.jsonl").read_text().splitlines()
    rows = (json.dumps(json.loads(line)["value"]) for line in lines)
    (place.folder / "rows.jsonl").write_text("\n".join(rows) + "\n")

    await place.run("replay", "rows.jsonl", "--run", "f", "--budget", "9calls", code=Exit.HALTED)
    await place.run("replay", "rows.jsonl", "--run", "f", "--budget", "none")
    await place.run("replay", "--run", "r", "--again")

    assert ids(place.events("f")) == ids(place.events("r"))
    assert {event.origin.topic for event in place.events("f")} == {"rows.jsonl"}


@pytest.mark.parametrize("dry", [(), ("--dry-run",)])
async def test_a_run_to_compare_with_that_nobody_knows_is_refused_before_anything_is_spent(
    place: Place, dry: tuple[str, ...]
) -> None:
    said = await place.run(
        "replay", "--run", "r", "--budget", "9calls", "--against", "old", *dry, code=Exit.WRONG
    )

    assert said == ("--against: there is no run old on rag.runs or rag.scores; runs are: none\n")
    assert place.asked == []
    assert not (place.folder / "topics" / "rag.runs").exists()
