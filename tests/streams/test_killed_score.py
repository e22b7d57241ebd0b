"""kill -9 of the score half at random moments: nothing is lost, nothing is bought twice."""

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random

import pytest

from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.wire import rfc3339
from streams.address import ORIGIN
from streams.commits import Metadata, decode
from streams.console.lookup import messages
from streams.folder.topic import read
from streams.pace import now, until
from streams.scoring.draws import Draw
from streams.settings.load import load
from streams.wiring.broker import Wiring
from streams.wiring.scoring import ScoreWiring
from streams.wiring.watching import WatchWiring
from tests.fakes import ListSink
from tests.streams.slow_score import SCORERS

KILLS = 20
ROWS = 600
BEGAN = now().replace(second=0, microsecond=0) - timedelta(seconds=2 * ROWS)
"""Recent, for panes are kept for four weeks only; and a whole minute, in which some row is drawn:
a window's ledgers begin with its first verdict."""
SETTINGS = """
broker: folder:{folder}
sampling:
  probability: {base}
  strata: [{{name: down, when: {{feedback: down}}, probability: 1.0}}]
"""


def write_rows(topic: Path, dice: Random, *, without_time: float = 0.0) -> None:
    topic.mkdir(parents=True)
    lines = []
    for n in range(ROWS):
        at = BEGAN + timedelta(seconds=n)
        row = {
            "trace_id": f"t-{n}",
            "service": dice.choice(["shop", "bank"]),
            "answered_at": None if dice.random() < without_time else rfc3339(at),
            "answer": f"{dice.choice(['Paris', 'Lyon'])} {n}.",
            "contexts": ["Paris."],
            "feedback": "down" if dice.random() < 0.1 else "up",
        }
        lines.append("not JSON" if dice.random() < 0.02 else json.dumps(row))
    (topic / "0.jsonl").write_text("\n".join(lines) + "\n")


@dataclass(frozen=True)
class Truth:
    """What every row must end in: the offsets that each scorer drew, and those to set aside."""

    drawn: frozenset[tuple[int, str]]
    rejected: frozenset[int]

    @classmethod
    def of(cls, wiring: Wiring) -> "Truth":
        drawn, rejected = set(), set()
        sampler = ScoreWiring(wiring).sampler
        for record in read(wiring.root, "rag.traces"):
            draw = sampler.draw(record)
            if isinstance(draw, Rejection):
                rejected.add(record.offset)
            elif isinstance(draw, Draw):
                drawn |= {(record.offset, chance.scorer) for chance in draw.drawn}
        return cls(frozenset(drawn), frozenset(rejected))


def scored(wiring: Wiring) -> list[ScoreEvent]:
    return list(messages(wiring.root, "rag.scores", ScoreEvent))


def more_than(before: int, wiring: Wiring) -> bool:
    return len(scored(wiring)) > before


def set_aside(wiring: Wiring) -> set[int]:
    origins = [dict(dead.headers)[ORIGIN] for dead in read(wiring.root, "rag.dead")]
    return {int(origin.decode().split("/")[2]) for origin in origins}


def unfinished_below_the_commit(wiring: Wiring, truth: Truth) -> set[int]:
    """Return the rows that a new owner would not do again although nothing was written of them."""
    file = wiring.root / ".groups" / "streamgauge.json"
    if not file.exists():
        return set()
    commit = json.loads(file.read_text())["topics"].get("rag.traces", {}).get("0")
    if commit is None:
        return set()
    metadata = decode(commit["metadata"])
    assert isinstance(metadata, Metadata)
    done = {(event.origin.offset, event.scorer.name) for event in scored(wiring)}
    owed = {offset for offset, scorer in truth.drawn if (offset, scorer) not in done}
    owed |= truth.rejected - set_aside(wiring)
    base = commit["offset"]
    return {o for o in owed if o < base or _bit(metadata.finished, o - base)}


def _bit(bitmap: bytes, n: int) -> bool:
    return n // 8 < len(bitmap) and bool(bitmap[n // 8] >> n % 8 & 1)


def start(settings: Path, *more: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.streams.slow_score", str(settings), *more]
    return subprocess.Popen(  # noqa: S603 - our own module
        command, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL
    )


@pytest.mark.service
@pytest.mark.timeout(300)
async def test_twenty_kills_lose_no_row_and_buy_no_verdict_twice(tmp_path: Path) -> None:
    dice = Random(11)
    settings = tmp_path / "streamgauge.yaml"
    settings.write_text(SETTINGS.format(folder=tmp_path / "log", base=0.4))
    write_rows(tmp_path / "log" / "rag.traces", dice)
    wiring = Wiring(load(settings))
    truth, lives = Truth.of(wiring), 0

    for _ in range(KILLS):
        before = len(scored(wiring))
        worker = start(settings)
        try:
            async with asyncio.timeout(30):
                await until(partial(more_than, before, wiring))
            await asyncio.sleep(dice.uniform(0, 0.25))
        finally:
            worker.kill()
            worker.wait()
        lives += len(scored(wiring)) > before
        assert unfinished_below_the_commit(wiring, truth) == set()
    assert start(settings, "--once").wait(timeout=120) == 0

    events = scored(wiring)
    assert lives > KILLS / 2, "most lives must have been ended at work, not before or after it"
    assert max(Counter(event.event_id for event in events).values()) == 1
    assert {(e.origin.offset, e.scorer.name) for e in events} == truth.drawn
    assert set_aside(wiring) == truth.rejected
    await assert_the_ledger_is_zero(wiring)


@pytest.mark.service
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("before", "after"), [(0.8, 0.1), (0.1, 0.8)])
async def test_another_probability_after_a_kill_leaves_the_ledger_at_zero(
    tmp_path: Path, before: float, after: float
) -> None:
    """The block under way is tallied again, with other chances, from a file of another time."""
    settings, traces = tmp_path / "streamgauge.yaml", tmp_path / "log" / "rag.traces"
    write_rows(traces, Random(12), without_time=0.2)
    seen = BEGAN + timedelta(seconds=ROWS)
    for probability, written in ((before, seen), (after, seen + timedelta(minutes=5))):
        os.utime(traces / "0.jsonl", (written.timestamp(), written.timestamp()))
        settings.write_text(SETTINGS.format(folder=tmp_path / "log", base=probability))
        wiring = Wiring(load(settings))
        if probability == before:
            worker = start(settings)
            try:
                async with asyncio.timeout(30):
                    await until(partial(more_than, 40, wiring))
            finally:
                worker.kill()
                worker.wait()
    assert start(settings, "--once").wait(timeout=60) == 0

    events = scored(wiring)
    assert max(Counter(event.event_id for event in events).values()) == 1
    base = {e.sampling.probability for e in events if e.sampling.stratum == "base"}
    assert base == {before, after}, "both lives must have judged"
    assert {e.trace.answered_at for e in events if e.trace.answered_at >= seen} == {seen}
    await assert_the_ledger_is_zero(wiring)


async def assert_the_ledger_is_zero(wiring: Wiring) -> None:
    follower = WatchWiring(wiring).follower(end_at_end=True)
    half = WatchWiring(wiring).watching(follower, ListSink())
    async for batch in follower.batches():
        half.admit(batch)
    watch = half.watches.of(0)
    seen = 0
    judged = 0
    for assistant in ("shop/production", "bank/production"):
        for scorer in SCORERS:
            end = BEGAN + timedelta(seconds=ROWS + 600)
            view = watch.window(assistant, scorer, length=timedelta(hours=1), at=end)
            assert view.pending == 0
            assert view.sampled == sum(view.events.values())
            judged += view.sampled
        seen += sum(view.rows.values())
    readable = ROWS - len(Truth.of(wiring).rejected)
    assert seen == readable
    assert judged == len(scored(wiring))
