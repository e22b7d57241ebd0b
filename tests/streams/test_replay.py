"""`streamgauge replay` as its users run it, on a folder log with a judge on 127.0.0.1."""

import asyncio
import json
import signal
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random

import pytest

from schemas.run import Run
from schemas.score import ScoreEvent
from schemas.wire import rfc3339
from streams.command_line.options import Exit
from streams.console.lookup import messages
from streams.pace import now, until
from tests.command import started, streamgauge
from tests.judge_server import Heard, JudgeServer, Play, agree, reply

pytestmark = pytest.mark.service

ROWS = 120
BEGAN = now().replace(second=0, microsecond=0) - timedelta(hours=2)
SETTINGS = """\
broker: folder:topics
sampling: {{probability: {probability}}}
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
judge:
  kind: chat
  allow_private_addresses: true
  chat:
    url: '{url}'
    model: {model}
    in_flight: 10
    price: {{input_per_million: 10, output_per_million: 30}}
alerts: []
"""


@dataclass
class Place:
    """A folder with a log and settings, and the judge that they name."""

    folder: Path
    server: JudgeServer
    slow: float = 0.0
    verdict: str = "yes"
    status: int = 200
    asked: list[str] = field(default_factory=list)

    def settle(self, *, model: str = "judge-1", probability: float = 0.5) -> None:
        text = SETTINGS.format(url=self.server.url, model=model, probability=probability)
        (self.folder / "streamgauge.yaml").write_text(text)

    def play(self, heard: Heard) -> Play:
        self.asked.append(heard.user)
        return reply(agree(heard, self.verdict), self.status, after=self.slow)

    async def run(self, *arguments: str, code: int = 0) -> str:
        done = await asyncio.to_thread(streamgauge, *arguments, cwd=self.folder, code=code)
        return done.stdout + done.stderr

    def events(self, run: str | None = None) -> list[ScoreEvent]:
        found = messages(self.folder / "topics", "rag.scores", ScoreEvent)
        return [event for event in found if event.run == run]

    def manifest(self, key: str) -> Run:
        found = messages(self.folder / "topics", "rag.runs", Run)
        return [run for run in found if run.key == key][-1]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    traces = tmp_path / "topics" / "rag.traces"
    traces.mkdir(parents=True)
    write_rows(traces / "0.jsonl", ROWS)
    async with JudgeServer(lambda heard: made.play(heard)) as server:
        made = Place(tmp_path, server)
        made.settle()
        yield made


def write_rows(file: Path, rows: int) -> None:
    with file.open("a") as out:
        for n in range(rows):
            at = BEGAN + timedelta(seconds=30 * n)
            row = {
                "trace_id": f"t-{n}",
                "service": "shop",
                "answered_at": rfc3339(at),
                "answer": f"It opens at {n}.",
                "contexts": ["It opens at nine."],
            }
            stamp = int(at.timestamp() * 1000)
            out.write(json.dumps({"key": f"t-{n}", "timestamp": stamp, "value": row}) + "\n")


def outcomes(events: list[ScoreEvent]) -> dict[str, object]:
    return {event.event_id: event.outcome for event in events}


def ids(events: list[ScoreEvent]) -> Counter[str]:
    return Counter(event.event_id for event in events)


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


async def test_a_run_keeps_its_configuration_whatever_the_settings_say_later(place: Place) -> None:
    first = "--budget=20calls"
    await place.run("replay", "--run", "r", first, code=Exit.HALTED)
    place.settle(model="judge-2", probability=1.0)

    said = await place.run("replay", "--run", "r")

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


async def test_a_dry_run_asks_nobody_and_writes_nothing(place: Place) -> None:
    said = await place.run("replay", "--run", "r", "--dry-run", "--json")

    estimate = json.loads(next(line for line in said.splitlines() if '"sampled"' in line))
    assert estimate["rows"] == ROWS
    assert 30 < estimate["sampled"] < 90
    assert estimate["calls"] == estimate["sampled"]
    assert estimate["cost_usd"] > 0
    assert place.asked == []
    assert {path.name for path in (place.folder / "topics").iterdir()} == {"rag.traces"}


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


async def test_a_run_that_began_with_other_times_is_not_taken_up(place: Place) -> None:
    await place.run("replay", "--run", "r", "--budget", "5calls", code=Exit.HALTED)

    said = await place.run("replay", "--run", "r", "--from", rfc3339(BEGAN), code=Exit.WRONG)

    assert "--from: run r began with none" in said


async def test_a_file_is_replayed_like_a_topic(place: Place) -> None:
    lines = (place.folder / "topics" / "rag.traces" / "0.jsonl").read_text().splitlines()
    rows = (json.dumps(json.loads(line)["value"]) for line in lines)
    (place.folder / "rows.jsonl").write_text("\n".join(rows) + "\n")

    await place.run("replay", "rows.jsonl", "--run", "f", "--budget", "9calls", code=Exit.HALTED)
    await place.run("replay", "rows.jsonl", "--run", "f")
    await place.run("replay", "--run", "r", "--again")

    assert ids(place.events("f")) == ids(place.events("r"))
    assert {event.origin.topic for event in place.events("f")} == {"rows.jsonl"}


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
