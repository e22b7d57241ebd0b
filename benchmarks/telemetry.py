"""What telling a collector of every score costs, and what one costs that hangs, refuses or is gone.

    python -m benchmarks.telemetry [--rows 3000] [--runs 6]

The score half with a judge of 50 ms, 32 calls at once, every row judged, in memory. The floor is
the same half with no exporter. All take turns, each run in a process of its own, as the judge and
the collector are, and their best are compared: noise only ever adds time.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager

import structlog

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
from streams.telemetry.names import Metric
from streams.telemetry.opening import outlets
from streams.telemetry.projecting import Manner, Outlets, ProjectingHalf, ProjectingSink
from streams.telemetry.signals import log_exporter, making, span_exporter

IN_FLIGHT, JUDGE_SECONDS = 32, 0.05
COLLECTORS = ("none", "well", "hangs", "refuses", "gone")
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
    if behaviour in {"none", "gone"}:
        yield "" if behaviour == "none" else NOBODY
        return
    command = [sys.executable, "-m", "benchmarks.telemetry", "receive", behaviour]
    with subprocess.Popen(  # noqa: S603 - ourselves
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout  # noqa: S101 - a pipe was asked for
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        process.terminate()


def scored_rows(count: int) -> list[Record]:
    """Return rows as production has them: with a span, and a `traceparent` in their headers."""
    made = []
    for record in rows(count):
        row = json.loads(record.value or b"") | {"span_id": SPAN_ID}
        header = ("traceparent", f"00-{row['trace_id']}-{SPAN_ID}-01".encode())
        made.append(record._replace(value=json.dumps(row).encode(), headers=(header,)))
    return made


@asynccontextmanager
async def told(url: str, made: Meters) -> AsyncIterator[Outlets | None]:
    """Yield where signals go, as the command opens it."""
    if not url:
        yield None
        return
    signals = making(resource(version="0", instance="bench"), version="0")
    spans, logs = span_exporter(url), log_exporter(url)
    async with outlets(signals, made, spans=spans, logs=logs) as opened:
        yield opened


async def flow(records: Sequence[Record], judged_at: str, url: str) -> dict[str, float]:
    """Score all rows as the command does, and return the figures of this process."""
    made = meters(version="0", instance="bench", otlp=url or None, by_environment=False)
    sampler = KeySampler("streamgauge", 1.0, "library/production", {"faithfulness": None})
    source, manner = CountedSource(records), Manner()
    judging = Judging(settings(judged_at, IN_FLIGHT, "chat"), SCORERS, (), (), {}, Secrets())
    async with judging.panel(hears=CallMeter(made)) as panel:
        async with told(url, made) as opened:
            inner: Sink = ForgettingSink()
            sink = MeteredSink(
                ProjectingSink(inner, opened, manner) if opened else inner, made, Capped(9)
            )
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
            spent, left = time.process_time() - cpu, time.perf_counter()
        farewell = time.perf_counter() - left
    lost = sum(made.total(Metric.LOST).values())
    return {
        "rows_per_s": source.rate(began),
        "cpu_ms": 1000 * spent / len(records),
        "lost": lost,
        "farewell_s": farewell,
    }


def measured(count: int, judged_at: str, url: str) -> dict[str, float]:
    """Measure one run in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.telemetry", "flow", str(count), judged_at, url]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure all in turn, and print the best of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--runs", type=int, default=6)
    arguments = parser.parse_args()
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in COLLECTORS}
    with judge(JUDGE_SECONDS) as judged_at:
        for _ in range(arguments.runs):
            for name, figures in runs.items():
                with receiver(name) as url:
                    figures.append(measured(arguments.rows, judged_at, url))
    best = {name: max(figures, key=lambda one: one["rows_per_s"]) for name, figures in runs.items()}
    floor = best["none"]["rows_per_s"]
    print(f"{arguments.rows:,} rows, all judged; a collector that ...")
    for name, one in best.items():
        print(
            f"  {name:<8} {one['rows_per_s']:6.0f} rows/s, {one['rows_per_s'] / floor:.3f} of none"
            f"   {one['cpu_ms']:.2f} ms CPU a row   {one['lost']:6.0f} signals lost"
            f"   farewell {one['farewell_s']:.1f} s"
        )
    ratios = {
        f"ratio_{name}": round(best[name]["rows_per_s"] / floor, 3) for name in COLLECTORS[1:]
    }
    longest = round(max(one["farewell_s"] for figures in runs.values() for one in figures), 2)
    print(json.dumps({"floor_rows_per_s": round(floor, 1), **ratios, "farewell_s": longest}))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["receive", behaviour]:
            asyncio.run(receive(behaviour))
        case ["flow", count, judged_at, url]:
            structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(40))
            print(json.dumps(asyncio.run(flow(scored_rows(int(count)), judged_at, url))))
        case _:
            main()
