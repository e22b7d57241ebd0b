"""What reading costs on a real Kafka: 2 KB rows, 1 % sampled, against a bare `getmany` loop.

    python -m benchmarks.ingest [--rows 400000] [--runs 5]

Starts a broker of its own. The floor reads the same rows of the same partitions, and does nothing
with them. The flow is the real one, in a group, from draw to tallies, scores and commits on Kafka,
with a scorer that answers at once: once where the key decides, and once where each body must be
read for it. Each reading is a process, and the flow's is set up as `score` is (`streams.memory`).
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import structlog
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from benchmarks.loop import InstantScorer
from schemas.wire import rfc3339
from scorers.judges.rules import RulesJudge
from streams.address import Topics
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.kafka.connection import Connection, Worker
from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.memory import suited_to_streams
from streams.pace import beats, now
from streams.pipeline import Scoring, run
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler, KeySampler, Sampler, Stratum
from streams.scoring.tallying import Tallying
from streams.subscription import Subscription
from tests.kafka.broker import Cluster, ready
from tests.kafka.cluster_admin import make_all

SALT, PROBABILITY, PARTITIONS = "streamgauge", 0.01, 4
TOPICS = Topics()


def row(number: int) -> tuple[bytes, bytes]:
    """Return key and value of a row of about 2 KB."""
    trace_id = f"{number * 0x9E3779B97F4A7C15 % (1 << 128):032x}"
    passage = "The north reading room opens at ten and closes at six on weekdays. " * 8
    trace = {
        "trace_id": trace_id,
        "service": "library",
        "answered_at": rfc3339(now()),
        "question": "When does the north reading room open?",
        "contexts": [{"key": str(key), "text": passage} for key in range(1, 4)],
        "answer": "It opens at ten on weekdays. [1]",
        "attributes": {"prompt_version": "v7"},
    }
    return trace_id.encode(), json.dumps(trace).encode()


async def write(servers: str, rows: int) -> None:
    """Write the rows, evenly over the partitions."""
    producer = AIOKafkaProducer(bootstrap_servers=servers, max_batch_size=512 * 1024, linger_ms=20)
    await producer.start()
    for number in range(rows):
        key, value = row(number)
        await producer.send(TOPICS.traces, value, key, number % PARTITIONS)
    await producer.stop()


async def bare(servers: str, rows: int) -> float:
    """Return the rows a second of a loop that reads and does nothing."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=servers, auto_offset_reset="earliest", enable_auto_commit=False
    )
    await consumer.start()
    consumer.assign([TopicPartition(TOPICS.traces, number) for number in range(PARTITIONS)])
    read, began = 0, time.perf_counter()
    while read < rows:
        for batch in (await consumer.getmany(timeout_ms=500)).values():
            read += len(batch)
    rate = rows / (time.perf_counter() - began)
    await consumer.stop()
    return rate


def by_key() -> Sampler:
    """Return the draw that touches no body."""
    return KeySampler(SALT, PROBABILITY, "library/production", {"instant": None})


def by_body() -> Sampler:
    """Return the draw that needs the id, the assistant and a label of each body."""
    strata = [Stratum("thumbs-down", {"feedback": frozenset({"down"})}, 1.0)]
    return BodySampler(SALT, PROBABILITY, strata, {"instant": None}, Intake().heads)


async def flow(servers: str, rows: int, sampler: Sampler) -> float:
    """Return the rows a second of the real flow, from the first row's arrival to the last's end."""
    connection = Connection(servers, Worker("bench", "0", os.getpid()))
    subscription = Subscription(
        group=f"bench-{uuid.uuid4().hex}", scores=f"none-{uuid.uuid4().hex}"
    )
    subscription = replace(subscription, end_at_end=True)
    async with (
        KafkaSink(connection, TOPICS, "bench", "0") as sink,
        KafkaSource(connection, subscription, now) as source,
    ):
        scoring = Scoring(
            sampler=sampler,
            decode=Intake(RowLayout(assistant=("library", "production"))).decode,
            panel={"instant": Seat(InstantScorer(), RulesJudge(), timedelta(seconds=60))},
            scorecard=Scorecard(sampler.by, "claims"),
            sink=sink,
            books=Books(Tallying(sampler.chances, now), source, sink, "bench"),
            clock=now,
        )
        began = time.perf_counter()
        with suited_to_streams():
            await run(source, scoring, beats=beats(timedelta(seconds=5)), clock=now, in_flight=64)
        rate = rows / (time.perf_counter() - began)
        if sum(one.next for one in source.progress().values()) != rows:
            raise RuntimeError("not every row was read")
    return rate


READINGS: Mapping[str, Callable[[str, int], Coroutine[None, None, float]]] = {
    "bare": bare,
    "key": lambda servers, rows: flow(servers, rows, by_key()),
    "body": lambda servers, rows: flow(servers, rows, by_body()),
}


def rate(what: str, servers: str, rows: int) -> float:
    """Return the rows a second of one reading in a process of its own, as it is in use.

    What another reading has left of its memory makes the next one quicker, or slower, by a fifth.
    """
    asked = ("--rows", str(rows), "--reading", what, "--servers", servers)
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-m", "benchmarks.ingest", *asked],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return float(done.stdout)


def measure(servers: str, rows: int, runs: int) -> dict[str, float]:
    """Measure all three in turn, and return the medians of the ratios."""
    rate("bare", servers, rows)  # the first reading finds the broker cold
    rates: dict[str, list[float]] = {what: [] for what in READINGS}
    for _ in range(runs):
        for what, found in rates.items():
            found.append(rate(what, servers, rows))
        print("   ".join(f"{what} {found[-1]:>9,.0f}" for what, found in rates.items()), flush=True)
    floors, keys, bodies = rates.values()
    return {
        "ratio_key": round(statistics.median(k / f for k, f in zip(keys, floors, strict=True)), 3),
        "ratio_body": round(
            statistics.median(b / f for b, f in zip(bodies, floors, strict=True)), 3
        ),
        "floor_rows_per_s": round(statistics.median(floors)),
        "rows_per_s_key": round(statistics.median(keys)),
        "rows_per_s_body": round(statistics.median(bodies)),
    }


async def prepare(servers: str, rows: int) -> None:
    """Make the topics, and write the rows."""
    await ready(servers)
    await make_all(servers, TOPICS, partitions=PARTITIONS)
    await write(servers, rows)


def main() -> None:
    """Start a broker, measure, and print the result; or take one reading of one that is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--reading", choices=READINGS, help="take this one alone: rows/s")
    parser.add_argument("--servers", help="where the rows of that reading lie")
    asked = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    if asked.reading:
        print(asyncio.run(READINGS[asked.reading](asked.servers, asked.rows)))
        return
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder))
        try:
            cluster.start_all()
            asyncio.run(prepare(cluster.address, asked.rows))
            print(f"{asked.rows:,} rows of 2 KB on {PARTITIONS} partitions, rows/s")
            result = measure(cluster.address, asked.rows, asked.runs)
        finally:
            cluster.stop()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
