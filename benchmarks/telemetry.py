"""What telling a collector of every score costs, and what one costs that hangs, refuses or is gone.

    python -m benchmarks.telemetry [--rows 500] [--runs 12]

The score half with a judge of 50 ms, 32 calls at once, every row judged, in memory. The floor is
the same half with no exporter. The two take turns in many short runs, while the collector is as it
is for all of them, and their best are compared: noise only ever adds time.
"""

import argparse
import asyncio
import gc
import json
import logging
import sys
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

import structlog

from benchmarks.child import child
from benchmarks.judging import SCORERS, CountedSource, judge, rows, settings
from benchmarks.loop import ForgettingSink
from schemas.rejection import Rejection
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.pace import beats, now
from streams.pipeline import Scoring, run
from streams.ports import Half, Record, Sink
from streams.scoring.books import Books
from streams.scoring.events import Sampled, Scorecard
from streams.scoring.judging import Judging
from streams.scoring.sampling import KeySampler
from streams.scoring.tallying import Tallying
from streams.settings.secrets import Secrets
from streams.telemetry.calls import CallMeter
from streams.telemetry.capped import Capped
from streams.telemetry.exporting import resource
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.meters import Meters, meters
from streams.telemetry.metrics import Metric
from streams.telemetry.opening import open_outlets
from streams.telemetry.projecting import Manner, Outlets, ProjectingHalf, ProjectingSink
from streams.telemetry.signals import log_exporter, making, span_exporter

IN_FLIGHT, JUDGE_SECONDS = 32, 0.05
COLLECTORS = ("well", "hangs", "refuses", "gone")
SPAN_ID = "b7ad6b7169203331"
NOBODY = "http://127.0.0.1:9"


async def receive(behaviour: str) -> None:
    """Be a collector: print the port, and take, refuse or hang for ever."""
    status = "200 OK" if behaviour == "well" else "503 Busy"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = head.lower().split(b"content-length:")[1].split(b"\r\n")[0]
            await reader.readexactly(int(length))
            if behaviour == "hangs":
                await asyncio.sleep(3600)
            writer.write(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def receiver(behaviour: str) -> Iterator[str]:
    """Yield the address of a collector in a process of its own; one that is gone has none."""
    if behaviour == "gone":
        yield NOBODY
        return
    with child("-m", "benchmarks.telemetry", "receive", behaviour, quiet=True) as address:
        yield address


def scored_rows(count: int) -> list[Record]:
    """Return rows as production has them: with a span, and a `traceparent` in their headers."""
    made = []
    for record in rows(count):
        row = json.loads(record.value or b"") | {"span_id": SPAN_ID}
        header = ("traceparent", f"00-{row['trace_id']}-{SPAN_ID}-01".encode())
        made.append(record._replace(value=json.dumps(row).encode(), headers=(header,)))
    return made


@asynccontextmanager
async def told(url: str, made: Meters) -> AsyncIterator[Outlets]:
    """Yield where signals go, as the command opens it."""
    signals = making(resource(version="0", instance="bench"), version="0")
    spans, logs = span_exporter(url), log_exporter(url)
    async with open_outlets(signals, made, spans=spans, logs=logs) as opened:
        yield opened


class Figures(NamedTuple):
    """Rows a second, and milliseconds of this process's CPU a row."""

    rows_per_s: float
    cpu_ms: float


async def flow(
    records: Sequence[Record], judged_at: str, made: Meters, opened: Outlets | None
) -> Figures:
    """Score all rows as the command does."""
    sampler = KeySampler("streamgauge", 1.0, "library/production", {"faithfulness": None})
    source, manner = CountedSource(records), Manner()
    judging = Judging(settings(judged_at, IN_FLIGHT, "chat"), SCORERS, (), (), {}, Secrets())
    async with judging.panel(hears=CallMeter(made)) as panel:
        inner: Sink = ForgettingSink()
        written = ProjectingSink(inner, opened, manner) if opened else inner
        sink = MeteredSink(written, made, Capped(9))
        if opened:
            sink.example = manner.target
        half: Half[Sampled | Rejection] = Scoring(
            sampler=sampler,
            decode=Intake(RowLayout(assistant=("library", "production"))).decode,
            panel=panel,
            scorecard=Scorecard("key", "claims"),
            sink=sink,
            books=Books(Tallying(sampler.chances, now), source, sink, "bench"),
            clock=now,
        )
        if opened:
            half = ProjectingHalf(half, opened, "kafka", "bench")
        began, cpu = time.perf_counter(), time.process_time()
        await run(source, half, beats=beats(), clock=now, in_flight=2 * IN_FLIGHT)
        spent = time.process_time() - cpu
    return Figures(source.rate(began), 1000 * spent / len(records))


async def compared(
    records: Sequence[Record], judged_at: str, url: str, runs: int
) -> tuple[Figures, Figures, float, float]:
    """Return the best without a collector and with it, the signals lost, and the farewell."""
    alone, made = some_meters(None), some_meters(url)
    without, with_it = [], []
    async with told(url, made) as opened:
        for _ in range(runs):
            without.append(await flow(records, judged_at, alone, None))
            with_it.append(await flow(records, judged_at, made, opened))
        left = time.perf_counter()
    farewell = time.perf_counter() - left
    return best(without), best(with_it), sum(made.total(Metric.LOST).values()), farewell


def some_meters(url: str | None) -> Meters:
    """Return instruments that are sent to that collector, or to nobody."""
    return meters(version="0", instance="bench", otlp=url, by_environment=False)


def best(runs: Iterable[Figures]) -> Figures:
    """Return the most rows a second and the least CPU a row of all runs."""
    rates, costs = zip(*runs, strict=True)
    return Figures(max(rates), min(costs))


def main() -> None:
    """Measure, print, and end with one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--runs", type=int, default=12)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)  # the exporters' own: the command tells of it once a minute
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    records, figures = scored_rows(arguments.rows), {}
    gc.freeze()  # a topic's rows are not in a process's memory: do not make it search them
    print("every row judged and told to a collector that ...")
    with judge(JUDGE_SECONDS) as judged_at:
        for name in COLLECTORS:
            with receiver(name) as url:
                found = compared(records, judged_at, url, arguments.runs)
                floor, ours, lost, farewell = asyncio.run(found)
            figures[f"ratio_{name}"] = round(ours.rows_per_s / floor.rows_per_s, 3)
            figures[f"cpu_{name}"] = round(ours.cpu_ms / floor.cpu_ms, 3)
            figures[f"farewell_s_{name}"] = round(farewell, 2)
            print(
                f"  {name:<8} {ours.rows_per_s:6.0f} rows/s for {floor.rows_per_s:6.0f} without"
                f"   {ours.cpu_ms:.2f} ms CPU a row for {floor.cpu_ms:.2f}"
                f"   {lost:6.0f} signals lost   farewell {farewell:.1f} s"
            )
    print(json.dumps(figures))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["receive", behaviour]:
            asyncio.run(receive(behaviour))
        case _:
            main()
