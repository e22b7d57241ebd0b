"""Kafka in, a judge of 50 ms at 32 calls in flight, Kafka out: what the whole score half costs.

    python -m benchmarks.endtoend [--backlog 500000] [--seconds 15] [--runs 3]

Starts a broker and a judge of its own, and writes a backlog that is far longer than what is read
of it, for the memory must not depend on it. The floor reads the same rows, posts the same bytes
over as many connections, parses the replies, and writes records of an event's length. As there, a
row that waits for its acknowledgement holds no call up. Both run in processes of their own.
"""

import argparse
import asyncio
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import structlog
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from benchmarks.judging import SCORERS, bodies, judge, rows, settings
from streams.address import Topics
from streams.intake.decode import Intake
from streams.kafka.connection import Connection, Worker
from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.pace import beats, now
from streams.pipeline import Scoring, run
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.judging import Judging
from streams.scoring.sampling import BodySampler
from streams.scoring.tallying import Tallying
from streams.settings.secrets import Secrets
from streams.subscription import Subscription
from tests.kafka.broker import Cluster, ready
from tests.kafka.cluster_admin import make_all, read_all

PARTITIONS, IN_FLIGHT, JUDGE_SECONDS = 4, 32, 0.05
EVENT_BYTES = 1500
TOPICS = Topics()
PADDING = "The library is closed on public holidays and open late before examinations. " * 16


async def write(servers: str, count: int) -> None:
    """Write a backlog of 2 KB rows of one claim each."""
    producer = AIOKafkaProducer(bootstrap_servers=servers, max_batch_size=512 * 1024, linger_ms=20)
    await producer.start()
    (model,) = rows(1)
    row = json.loads(model.value or b"")
    row["contexts"].append({"key": "4", "text": PADDING[: 2048 - len(model.value or b"")]})
    for number in range(count):
        row["trace_id"] = f"{number + 1:032x}"
        value = json.dumps(row).encode()
        await producer.send(TOPICS.traces, value, row["trace_id"].encode(), number % PARTITIONS)
    await producer.stop()


async def flow(servers: str, url: str, seconds: float) -> float:
    """Return the rows a second that the real score half publishes."""
    connection = Connection(servers, Worker("bench", "0", os.getpid()))
    subscription = Subscription(
        group=f"bench-{uuid.uuid4().hex}", scores=f"none-{uuid.uuid4().hex}"
    )
    intake = Intake()
    sampler = BodySampler("streamgauge", 1.0, [], {"faithfulness": None}, intake.heads)
    judging = Judging(settings(url, IN_FLIGHT, "chat"), SCORERS, (), (), {}, Secrets())
    async with (
        judging.panel() as panel,
        KafkaSource(connection, subscription, now) as source,
        KafkaSink(connection, TOPICS, "bench", "0") as sink,
    ):
        scoring = Scoring(
            sampler=sampler,
            decode=intake.decode,
            panel=panel,
            scorecard=Scorecard("body", "claims"),
            sink=sink,
            books=Books(Tallying(sampler.chances, now), source, sink, "bench"),
            clock=now,
        )
        began = time.perf_counter()
        asyncio.get_running_loop().call_later(seconds, source.stop)
        await run(source, scoring, beats=beats(), clock=now, in_flight=2 * IN_FLIGHT)
        scored = sum(one.next for one in source.progress().values())
        return scored / (time.perf_counter() - began)


async def floor(servers: str, url: str, seconds: float) -> float:
    """Return the rows a second of bare clients that do the same."""
    (body,) = await bodies(rows(1), "chat")
    consumer = AIOKafkaConsumer(
        bootstrap_servers=servers, auto_offset_reset="earliest", enable_auto_commit=False
    )
    producer = AIOKafkaProducer(bootstrap_servers=servers, acks="all", linger_ms=10)
    await consumer.start()
    await producer.start()
    consumer.assign([TopicPartition(TOPICS.traces, number) for number in range(PARTITIONS)])
    until = time.perf_counter() + seconds
    written = 0

    async def values() -> AsyncIterator[bytes]:
        while time.perf_counter() < until:
            for batch in (await consumer.getmany(timeout_ms=200, max_records=500)).values():
                for record in batch:
                    yield record.value or b""

    left, turn, calls = values(), asyncio.Lock(), asyncio.Semaphore(IN_FLIGHT)
    headers = {"content-type": "application/json"}
    connector = aiohttp.TCPConnector(limit=IN_FLIGHT)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def work() -> None:
            nonlocal written
            while time.perf_counter() < until:
                async with turn:
                    await anext(left, None)
                endpoint = f"{url}/chat/completions"
                async with calls, session.post(endpoint, data=body, headers=headers) as reply:
                    json.loads(await reply.read())
                await producer.send_and_wait(TOPICS.windows, bytes(EVENT_BYTES))
                written += 1

        began = time.perf_counter()
        await asyncio.gather(*(work() for _ in range(2 * IN_FLIGHT)))
        rate = written / (time.perf_counter() - began)
    await consumer.stop()
    await producer.stop()
    return rate


def measured(what: str, servers: str, url: str, seconds: float) -> dict[str, float]:
    """Run one of the two in a process of its own, and return its figures."""
    command = [sys.executable, "-m", "benchmarks.endtoend", what, servers, url, str(seconds)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def child(what: str, servers: str, url: str, seconds: str) -> None:
    """Measure one of the two here, and print its figures."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
    work = flow if what == "flow" else floor
    rate = asyncio.run(work(servers, url, float(seconds)))
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows_per_s": rate, "rss_mb": rss}))


async def prepared(servers: str, backlog: int) -> None:
    """Make the topics, and write the backlog."""
    await ready(servers)
    await make_all(servers, TOPICS, partitions=PARTITIONS)
    await write(servers, backlog)


def main() -> None:
    """Measure both in turn, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--backlog", type=int, default=500_000)
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    floors, ours = [], []
    with tempfile.TemporaryDirectory() as folder, judge(JUDGE_SECONDS) as url:
        cluster = Cluster(Path(folder))
        try:
            cluster.start_all()
            asyncio.run(prepared(cluster.address, arguments.backlog))
            print(f"{arguments.backlog:,} rows of backlog, {IN_FLIGHT} calls of 50 ms in flight")
            for _ in range(arguments.runs):
                floors.append(measured("floor", cluster.address, url, arguments.seconds))
                ours.append(measured("flow", cluster.address, url, arguments.seconds))
                print(
                    f"  bare {floors[-1]['rows_per_s']:6.0f} rows/s"
                    f"   the flow {ours[-1]['rows_per_s']:6.0f} rows/s"
                    f"   {ours[-1]['rss_mb']:.0f} MB"
                )
            events = len(asyncio.run(read_all(cluster.address, TOPICS.scores)))
        finally:
            cluster.stop()
    rate = statistics.median(one["rows_per_s"] for one in ours)
    bare = statistics.median(one["rows_per_s"] for one in floors)
    print(f"  {rate / bare:.2f} of the floor; {events:,} records on the scores topic")
    print(
        json.dumps(
            {
                "rows_per_s": round(rate, 1),
                "floor_rows_per_s": round(bare, 1),
                "rss_mb": round(max(one["rss_mb"] for one in ours)),
            }
        )
    )


if __name__ == "__main__":
    if sys.argv[1:2] in (["flow"], ["floor"]):
        child(*sys.argv[1:])
    else:
        main()
