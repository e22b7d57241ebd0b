"""The fold beside another reading of the same contract: a terse simulation kept outside."""

import sys
import warnings
from collections import Counter
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from schemas.mark import Mark, PartitionProgress, Tick
from schemas.score import ScoreEvent
from schemas.tally import Block, ScorerTally, StratumTally, Tally
from schemas.wire import to_milliseconds
from streams.watch.fold import Watch
from streams.watch.options import Options as WatchOptions
from tests.streams.watch.records import SCORER, a_mark, a_score, a_tick, at, bad, failed, good

SIMULATION = Path(__file__).parents[4] / "shared" / "sketch" / "fold_simulation"

Sums = Counter[tuple[object, ...]]


@pytest.fixture(scope="module")
def simulation() -> Any:
    if not SIMULATION.is_dir():
        pytest.skip(f"NO ORACLE: {SIMULATION} is not there, so the fold is compared with no other")
    sys.path.insert(0, str(SIMULATION))
    try:
        with warnings.catch_warnings(action="ignore"):
            return import_module("sim")
    finally:
        sys.path.remove(str(SIMULATION))


def message_of(record: dict[str, Any], offset: int) -> ScoreEvent | Tally | Mark | Tick:
    """Return what the simulation wrote as the message that it stands for."""
    kind = record["kind"]
    if kind == "score":
        return _score(record)
    if kind == "tally":
        return _tally(record)
    if kind == "tick":
        return a_tick(record["at"])
    partitions = {
        int(q): PartitionProgress(
            next=x["next"],
            end=x["end"],
            event_time=None if x["event_time"] is None else at(x["event_time"]),
            epoch=x["epoch"],
        )
        for q, x in record["partitions"].items()
    }
    return a_mark(
        record["at"], partitions, of=3, scores=record["scores"], worker=str(record["worker"])
    )


def _score(record: dict[str, Any]) -> ScoreEvent:
    partition, offset = record["origin"]
    outcome = record["outcome"]
    verdict = bad(0.0) if outcome.get("bad") else good()
    return a_score(
        offset,
        record["answered_at"],
        verdict if outcome["status"] == "scored" else failed(),
        event_id=record["event_id"],
        assistant=record["assistant"],
        scorer=SCORER,
        series=record["series"],
        stratum=record["stratum"],
        probability=record["probability"],
        partition=partition,
    )


def _tally(record: dict[str, Any]) -> Tally:
    source = record["source"]
    strata = {
        name: StratumTally(
            seen=x["seen"],
            scorers={SCORER: ScorerTally(probability=x["probability"], sampled=x["sampled"])},
        )
        for name, x in record["strata"].items()
    }
    return Tally(
        source=Block(topic="rag.traces", **source),
        assistant=record["assistant"],
        minute=at(record["minute"]),
        strata=strata,
        at=at(record["minute"]),
    )


def ours(watch: Watch) -> Sums:
    sums: Sums = Counter()
    for key, pane in watch.tables.scores.items():
        name = (key.family.assistant, key.family.series, key.start // 600_000)
        for status, number in pane.outcomes.items():
            sums[(*name, status)] += number
        cells = [(s, p, cell) for s, by in pane.strata.items() for p, cell in by.items()]
        for stratum, probability, cell in cells:
            for column in ("n", "bad", "millionths"):
                sums[(*name, stratum, probability, column)] += getattr(cell, column)
    for key, ledger in watch.tables.ledgers.items():
        name = (key.family.assistant, "ledger", key.start // 600_000)
        for flow in ledger.settled().flows.values():
            sums[(*name, "seen")] += flow.seen
            sums[(*name, "sampled")] += flow.sampled[SCORER]
    return +sums


def theirs(simulation: Any, fold: Any) -> Sums:
    sums: Sums = Counter()
    midnight = to_milliseconds(at(0)) // 1_000
    for key, pane in fold.panes.items():
        if fold.home(key) == key and key[0] == "ledger":
            name = (key[1], "ledger", (midnight + key[2]) // 600)
            seen, sampled = _counted(simulation, pane)
            sums[(*name, "seen")] += seen
            sums[(*name, "sampled")] += sampled
        elif fold.home(key) == key and key[4] is None:
            sums += _named((key[1], key[3], (midnight + key[5]) // 600), pane)
    return +sums


def _named(name: tuple[object, ...], pane: dict[str, Any]) -> Sums:
    sums: Sums = Counter()
    for status, number in pane["status"].items():
        sums[(*name, status)] += number
    for (stratum, probability), row in pane["strata"].items():
        for column, number in zip(("n", "bad", "millionths"), row, strict=True):
            sums[(*name, stratum, probability, column)] += number
    return sums


def _counted(simulation: Any, pane: dict[str, Any]) -> tuple[int, int]:
    seen, sampled = pane.get("sums", [0, 0])
    for block in simulation.counted(pane.get("blocks", {}), "greedy"):
        for x in pane["blocks"][block][0].values():
            seen, sampled = seen + x["seen"], sampled + x["sampled"]
    return seen, sampled


FAULTS: dict[str, dict[str, Any]] = {
    "kills and zombies": {},
    "rows that come late": {"late": 0.02},
    "a score half that is down, then slow": {"outage": (400, 700), "slow": True},
}
"""Beside what is always there: repeated and future rows, an idle partition, a change of series."""


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_panes_ledgers_and_watermark_are_those_of_the_other_reading(
    simulation: Any, faults: dict[str, Any]
) -> None:
    seed = len(faults)
    world = simulation.World(seed, T=1200, dup="record", future=0.02, capts=True, **faults)
    world.run([])

    for p in range(world.wp):
        other = simulation.Fold(p, simulation.Opts(nparts=world.sp, cap_at=False))
        watch = Watch(WatchOptions(lateness=timedelta(minutes=5)))
        scores, marks = list(enumerate(world.scores[p])), list(enumerate(world.marks[p]))
        random = Random(seed)
        while scores or marks:
            topic = "scores" if scores and (not marks or random.random() < 0.6) else "marks"
            offset, record = (scores if topic == "scores" else marks).pop(0)
            other.handle(topic, offset, record)
            watch.fold(message_of(record, offset), offset=offset if topic == "scores" else -1)

        assert ours(watch) == theirs(simulation, other)
        assert watch.watermark == at(other.st["wm"])
