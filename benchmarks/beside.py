"""What a replay costs live traffic beside it: how long a row takes to its score, with and without.

    python -m benchmarks.beside [--seconds 15] [--rounds 3] [--judge-seconds 0.5]

Starts a broker and a judge of its own, and `streamgauge score`, to which rows come at a steady
rate, each judged. In every other stretch of time `streamgauge replay` judges a backlog of ten times
what comes live, with its part of as many slots: it is resumed and stopped each time. A latency is
the time from a row's sending to its event's arrival on the scores topic, by the broker's clock.
`ratio` is p95 with a replay over p95 without. A judge of 50 ms shows how processes share few cores.
"""

import argparse
import asyncio
import json
import os
import signal
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from benchmarks.judging import judge, rows
from schemas.score import ScoreEvent
from schemas.wire import rfc3339, to_milliseconds
from streams.address import EVENT_ID, Topics
from streams.beside import beside
from streams.command_line.options import Exit
from streams.pace import now, until
from tests.command import STREAMGAUGE
from tests.kafka.broker import Cluster, die_with_parent, ready
from tests.kafka.cluster_admin import producer_of
from tests.kafka.flow import make_stamped

PARTITIONS, IN_FLIGHT, ROWS_A_SECOND, BACKLOG = 4, 32, 20, 10
TOPICS = Topics()
RUN = "r"
SETTINGS = """\
broker: kafka://{servers}
kafka: {{start: latest}}
sampling: {{probability: 1.0}}
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
judge:
  kind: chat
  allow_private_addresses: true
  chat: {{url: '{url}', model: judge, in_flight: {in_flight}}}
alerts: []
"""


@dataclass
class Arrivals:
    """Events as they come to the scores topic: how long live rows took, and how many a run has."""

    live_ms: dict[str, float] = field(default_factory=dict)
    replayed: int = 0

    async def follow(self, servers: str) -> None:
        """Take events in until cancelled."""
        consumer = AIOKafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")
        await consumer.start()
        try:
            consumer.assign([TopicPartition(TOPICS.scores, n) for n in range(PARTITIONS)])
            async for record in consumer:
                if EVENT_ID in dict(record.headers):
                    self.take(ScoreEvent.model_validate_json(record.value or b""), record.timestamp)
        finally:
            await consumer.stop()

    def take(self, event: ScoreEvent, at: int) -> None:
        """Take in an event that arrived then."""
        if event.run is not None:
            self.replayed += 1
            return
        sent = event.trace.answered_at
        self.live_ms[event.trace.trace_id] = at - to_milliseconds(sent)

    def beyond(self, count: int) -> bool:
        """Say whether more events of the run have come."""
        return self.replayed > count


@dataclass
class Writer:
    """Writes rows to the traces topic, each with an id of its own and the time of its sending."""

    producer: AIOKafkaProducer
    written: int = 0

    async def write(self) -> str:
        """Write one row; return its id."""
        (model,) = rows(1)
        self.written += 1
        row = json.loads(model.value or b"")
        row["trace_id"], row["answered_at"] = f"{self.written:032x}", rfc3339(now())
        partition = self.written % PARTITIONS
        await self.producer.send(TOPICS.traces, json.dumps(row).encode(), partition=partition)
        return str(row["trace_id"])

    async def write_backlog(self, count: int) -> None:
        """Write so many rows at once."""
        for _ in range(count):
            await self.write()
        await self.producer.flush()

    async def write_for(self, seconds: float) -> list[str]:
        """Write rows at a steady rate for so long; return their ids."""
        loop = asyncio.get_running_loop()
        began, ids = loop.time(), list[str]()
        for number in range(int(seconds * ROWS_A_SECOND)):
            await asyncio.sleep(max(0, began + number / ROWS_A_SECOND - loop.time()))
            ids.append(await self.write())
        return ids


@contextmanager
def working(folder: Path, *command: str, code: int) -> Iterator[None]:
    """Run our command meanwhile; stop it in order, and see that it ends with that code."""
    with (folder / f"{command[0]}.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603 - our own command
            [STREAMGAUGE, *command], cwd=folder, stdout=log, stderr=log, preexec_fn=die_with_parent
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        if process.wait(60) != code:
            print((folder / f"{command[0]}.log").read_text()[-2000:])
    if process.returncode != code:
        raise RuntimeError(f"{command[0]} ended with {process.returncode}: it was to work on")


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(values, n=20)[-1]


async def measure(servers: str, folder: Path, seconds: float, rounds: int) -> dict[str, float]:
    """Measure stretches without and with a replay in turn, and return what all of them say."""
    await make_stamped(servers, TOPICS, partitions=PARTITIONS)
    arrivals = Arrivals()
    alone, beside_it, rate = list[float](), list[float](), list[float]()

    async def stretch(writer: Writer) -> list[float]:
        ids = await writer.write_for(seconds)
        await until(lambda: arrivals.live_ms.keys() >= set(ids))
        return [arrivals.live_ms[one] for one in ids]

    async with producer_of(servers) as producer, beside(arrivals.follow(servers)):
        writer = Writer(producer)
        await writer.write_backlog(int(BACKLOG * ROWS_A_SECOND * seconds * rounds))
        with working(folder, "score", code=Exit.DONE):
            while (
                not arrivals.live_ms
            ):  # it begins behind the last row: which that is, it finds out
                await writer.write_for(1)
            for _ in range(rounds):
                alone += (first := await stretch(writer))
                before = arrivals.replayed
                with working(folder, "replay", "--run", RUN, code=Exit.HALTED):
                    await until(partial(arrivals.beyond, before))
                    before = arrivals.replayed
                    beside_it += (second := await stretch(writer))
                    rate.append((arrivals.replayed - before) / seconds)
                print(
                    f"  p95 alone {p95(first):5.0f} ms   beside a replay {p95(second):5.0f} ms"
                    f"   of {rate[-1]:.0f} rows/s"
                )
    return {
        "ratio": round(p95(beside_it) / p95(alone), 3),
        "p95_ms": round(p95(beside_it)),
        "p95_alone_ms": round(p95(alone)),
        "median_ratio": round(statistics.median(beside_it) / statistics.median(alone), 3),
        "replayed_rows_per_s": round(statistics.mean(rate)),
        "load": round(os.getloadavg()[0], 1),
    }


def main() -> None:
    """Start a broker and a judge, measure, and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--judge-seconds", type=float, default=0.5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, judge(arguments.judge_seconds) as url:
        folder = Path(name)
        cluster = Cluster(folder)
        try:
            cluster.start_all()
            servers = cluster.address
            asyncio.run(ready(servers))
            text = SETTINGS.format(servers=servers, url=url, in_flight=IN_FLIGHT)
            (folder / "streamgauge.yaml").write_text(text)
            print(f"{ROWS_A_SECOND} live rows/s, {IN_FLIGHT} slots of {arguments.judge_seconds} s")
            result = asyncio.run(measure(servers, folder, arguments.seconds, arguments.rounds))
        finally:
            cluster.stop()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
