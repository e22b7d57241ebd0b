"""What judging costs beyond the judge: the score half against a judge on 127.0.0.1.

    python benchmarks/judging.py [--rows 2000] [--runs 3]

One call a row (`claims: sentences`, one sentence). The floor is the fastest bare loop that posts
the same bytes over as many connections and parses the replies: a few httpx clients, or aiohttp.
"""

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import aiohttp
import httpx

from benchmarks.loop import START, ForgettingSink, MemorySource
from scorers.judges.settings import ChatSettings, DecisionsSettings, JudgeSettings
from scorers.settings import FaithfulnessSettings, ScorersSettings
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.pipeline import Scoring, run
from streams.ports import Record
from streams.scoring.books import Books
from streams.scoring.events import Scorecard
from streams.scoring.judging import Judging
from streams.scoring.sampling import KeySampler
from streams.scoring.tallying import Tallying
from streams.settings.secrets import Secrets

CLIENT = 16
SCORERS = ScorersSettings(faithfulness=FaithfulnessSettings(), citation_accuracy=None)
PASSAGE = "The north reading room opens at ten and closes at six on weekdays. " * 4


class Figures(NamedTuple):
    """Rows a second, and milliseconds of this process's CPU a row."""

    rows_per_s: float
    cpu_ms_per_row: float


@contextmanager
def judge(seconds: float, refused: float = 0.0) -> Iterator[str]:
    """Yield the address of a judge in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("loopback_judge.py"))]
    with subprocess.Popen(  # noqa: S603 - our own script
        [*command, str(seconds), str(refused)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout  # noqa: S101 - a pipe was asked for
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
        process.terminate()


def rows(count: int) -> list[Record]:
    """Return rows of one claim each, all different."""
    records = []
    for n in range(count):
        row = {
            "trace_id": f"{n + 1:032x}",
            "service": "library",
            "question": f"When does reading room {n} open?",
            "contexts": [{"key": str(k), "text": f"{PASSAGE}({n})"} for k in range(1, 4)],
            "answer": f"Reading room {n} opens at ten on weekdays.",
        }
        key, value = str(row["trace_id"]).encode(), json.dumps(row).encode()
        records.append(Record("rag.traces", 0, n, key, value, int(START.timestamp() * 1000)))
    return records


def settings(url: str, in_flight: int, kind: str) -> JudgeSettings:
    """Return the settings of a judge at that address."""
    chat = ChatSettings(url=url, model="judge", in_flight=in_flight)
    decisions = DecisionsSettings(url=url, model="judge", in_flight=in_flight)
    return JudgeSettings.model_validate(
        {"kind": kind, "chat": chat, "decisions": decisions, "allow_private_addresses": True}
    )


async def flow(records: Sequence[Record], url: str, in_flight: int, kind: str = "chat") -> Figures:
    """Score all rows as the command does."""

    def clock() -> datetime:
        return datetime.now(UTC)

    async def beats() -> AsyncIterator[datetime]:
        while True:
            await asyncio.sleep(5)
            yield clock()

    sampler = KeySampler("streamgauge", 1.0, "library/production", {"faithfulness": None})
    source, sink = MemorySource(records), ForgettingSink()
    judging = Judging(settings(url, in_flight, kind), SCORERS, (), (), {}, Secrets())
    async with judging.panel() as panel:
        scoring = Scoring(
            sampler=sampler,
            decode=Intake(RowLayout(assistant=("library", "production"))).decode,
            panel=panel,
            scorecard=Scorecard("key", "claims"),
            sink=sink,
            books=Books(Tallying(sampler.chances, clock), source, sink, "judging"),
            clock=clock,
        )
        return await timed(
            len(records),
            lambda: run(source, scoring, beats=beats(), clock=clock, in_flight=2 * in_flight),
        )


async def timed(count: int, work: Callable[[], Awaitable[object]]) -> Figures:
    """Measure work over so many rows."""
    began, cpu = time.perf_counter(), time.process_time()
    await work()
    took, spent = time.perf_counter() - began, time.process_time() - cpu
    return Figures(count / took, 1000 * spent / count)


async def bodies(records: Sequence[Record]) -> list[bytes]:
    """Return the bytes that the flow sends, as a server hears them."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not reader.at_eof():
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                break
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            heard.append(await reader.readexactly(length))
            writer.write(b"HTTP/1.1 400 No\r\ncontent-length: 2\r\n\r\n{}")
        writer.close()

    async with await asyncio.start_server(hear, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await flow(records, f"http://127.0.0.1:{port}/v1", 1)
    return heard


async def bare(bodies: Sequence[bytes], url: str, in_flight: int, library: str) -> Figures:
    """Post the same bytes without any of our code."""
    left = iter(bodies)
    headers = {"content-type": "application/json"}
    if library == "aiohttp":
        connector = aiohttp.TCPConnector(limit=in_flight)
        async with aiohttp.ClientSession(connector=connector) as session:

            async def post(place: int) -> None:
                for body in left:
                    async with session.post(url, data=body, headers=headers) as reply:
                        json.loads(await reply.read())

            return await timed(len(bodies), lambda: asyncio.gather(*map(post, range(in_flight))))
    clients = [httpx.AsyncClient(timeout=60) for _ in range(max(1, in_flight // CLIENT))]

    async def ask(place: int) -> None:
        for body in left:
            reply = await clients[place % len(clients)].post(url, content=body, headers=headers)
            json.loads(reply.content)

    figures = await timed(len(bodies), lambda: asyncio.gather(*map(ask, range(in_flight))))
    for client in clients:
        await client.aclose()
    return figures


def best(runs: Sequence[Figures]) -> Figures:
    """Return the figures of the median run."""
    return Figures(
        statistics.median(one.rows_per_s for one in runs),
        statistics.median(one.cpu_ms_per_row for one in runs),
    )


def main() -> None:
    """Measure, print, and end with one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    records = rows(arguments.rows)
    sent = asyncio.run(bodies(records))
    ours, floors = list[Figures](), dict[str, list[Figures]]()
    with judge(0.05) as url:
        for _ in range(arguments.runs):
            for library in ("aiohttp", "httpx"):
                told = asyncio.run(bare(sent, f"{url}/chat/completions", 32, library))
                floors.setdefault(library, []).append(told)
            ours.append(asyncio.run(flow(records, url, 32)))
        decisions = asyncio.run(flow(records, url, 32, "decisions"))
    with judge(0.5) as url:
        wide = asyncio.run(flow(records, url, 128))
    with judge(0.05, 0.02) as url:
        refused = asyncio.run(flow(records, url, 32))
    mine = best(ours)
    floor = max((best(runs).rows_per_s, name) for name, runs in floors.items())
    lines = {f"bare {name}": best(runs) for name, runs in floors.items()}
    lines |= {"chat": mine, "chat, 2 % of 429": refused, "decisions": decisions}
    lines["chat, 128 at once, 500 ms"] = wide
    for name, figures in lines.items():
        rate, cpu = figures
        print(f"  {name:<28} {rate:8.0f} rows/s {cpu:7.2f} ms CPU a row")
    print(f"  of the floor ({floor[1]}): {mine.rows_per_s / floor[0]:.2f}")
    print(
        json.dumps(
            {
                "rows_per_s": round(mine.rows_per_s, 1),
                "floor_rows_per_s": round(floor[0], 1),
                "cpu_ms_per_row": round(mine.cpu_ms_per_row, 3),
                "rows_per_s_128": round(wide.rows_per_s, 1),
                "rows_per_s_429": round(refused.rows_per_s, 1),
                "rows_per_s_decisions": round(decisions.rows_per_s, 1),
                "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            }
        )
    )


if __name__ == "__main__":
    main()
