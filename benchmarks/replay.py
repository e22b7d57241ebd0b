"""What a replay costs on a real Kafka: 2 KB rows, 1 % sampled, against a bare `getmany` loop.

    python -m benchmarks.replay [--rows 1000000] [--runs 2]

Starts a broker of its own. The floor reads the same rows of the same partitions in the same
process, and does nothing with them; it goes first and last, and a run is held against those on both
sides of it. A run is a real one, from its lease to the manifest that calls it complete, with a
scorer that answers at once: once where the key decides, and once where each body must be read for
it. `rss_growth_mb`: how much more memory the last half of a run held than the quarter before that.
"""

import argparse
import asyncio
import json
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import structlog

from benchmarks.ingest import PARTITIONS, TOPICS, bare, write
from benchmarks.loop import InstantScorer
from scorers.judges.rules import RulesJudge
from streams.beside import beside
from streams.commands.opening import as_judged, run_of
from streams.commands.replaying import Ending, Life
from streams.replay.asked import Asked
from streams.replay.politeness import Politeness
from streams.replay.runs import Runs
from streams.scoring.earlier import Unknown
from streams.scoring.panel import Seat
from streams.settings.load import load
from streams.wiring.broker import Wiring
from streams.wiring.replaying import ReplayWiring
from tests.kafka.broker import Cluster, ready
from tests.kafka.cluster_admin import make_all
from tests.kafka.score_processes import rss_mb

NAME = "faithfulness"
LOOKS_SECONDS = 0.2


class Measured(NamedTuple):
    """Rows a second of a run, and the memory that it held now and then, in MB."""

    rows_per_s: float
    held_mb: Sequence[float]

    @property
    def growth_mb(self) -> float:
        """How much more was held in the last half than in the quarter before."""
        half, quarter = len(self.held_mb) // 2, len(self.held_mb) // 4
        return max(self.held_mb[half:]) - max(self.held_mb[quarter:half])


def wired(servers: str, by: str) -> Wiring:
    """Return the parts of a replay that draws 1 % of the rows by their key or body."""
    settings = {
        "broker": f"kafka://{servers}",
        "intake": {"assistant": "library/production"},
        "sampling": {"probability": 0.01, "by": by},
        "scorers": {NAME: {}, "citation_accuracy": None},
    }
    return Wiring(load(None, settings))


async def replayed(servers: str, rows: int, name: str, by: str) -> Measured:
    """Run to the end, and look at the memory meanwhile."""
    wiring, held = wired(servers, by), [rss_mb(os.getpid())]

    async def look_on() -> None:
        while True:
            await asyncio.sleep(LOOKS_SECONDS)
            held.append(rss_mb(os.getpid()))

    panel = {NAME: Seat(InstantScorer(), RulesJudge(), timedelta(seconds=60))}
    parts = ReplayWiring(wiring, Asked(run=name, again=True))
    async with wiring.glance() as look, beside(look_on()):
        began = time.perf_counter()
        run = as_judged(await run_of(parts, {}, look), panel)
        parts, runs = parts.as_begun(run), Runs(look, wiring.topics.runs)
        ending = await Life(parts, runs, run, panel, Politeness(run.share), Unknown()).work()
        rate = rows / (time.perf_counter() - began)
        spent = (await runs.latest())[run.key].spent
    if ending is not Ending.COMPLETE or spent.rows != rows or not spent.judged:
        raise RuntimeError(f"not every row was read: {spent}")
    return Measured(rate, held)


async def measure(servers: str, rows: int, runs: int) -> dict[str, float]:
    """Measure floors and runs in turn, and return the medians of the ratios."""
    await make_all(servers, TOPICS, partitions=PARTITIONS)
    await write(servers, rows)
    await bare(servers, rows)  # the first reading finds the broker cold
    floors = [await bare(servers, rows)]
    found: dict[str, list[Measured]] = {"key": [], "body": []}
    for number in range(runs):
        for by, measured in found.items():
            measured.append(await replayed(servers, rows, f"{by}-{number}", by))
            floors.append(await bare(servers, rows))
            rate, held = measured[-1]
            print(f"  by {by:<4} {rate:>9,.0f}   bare {floors[-1]:>9,.0f}   {held[-1]:.0f} MB")
    around = [statistics.mean(both) for both in pairwise(floors)]
    every = [*found["key"], *found["body"]]
    return {
        "ratio": _ratio(found["key"], around[0::2]),
        "ratio_body": _ratio(found["body"], around[1::2]),
        "rss_mb": round(max(max(one.held_mb) for one in every)),
        "rss_growth_mb": round(max(one.growth_mb for one in every), 1),
        "floor_rows_per_s": round(statistics.median(floors)),
        "load": round(os.getloadavg()[0], 1),
    }


def _ratio(measured: Sequence[Measured], floors: Sequence[float]) -> float:
    pairs = zip(measured, floors, strict=True)
    return round(statistics.median(one.rows_per_s / floor for one, floor in pairs), 3)


def main() -> None:
    """Start a broker, measure, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=2)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start_all()
            asyncio.run(ready(cluster.address))
            print(f"{arguments.rows:,} rows of 2 KB on {PARTITIONS} partitions, rows/s")
            result = asyncio.run(measure(cluster.address, arguments.rows, arguments.runs))
        finally:
            cluster.stop()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
