"""What judging costs beyond the judge: the score half against a judge on 127.0.0.1.

    python -m benchmarks.judging [--rows 500] [--runs 12]

One call a row (`claims: sentences`, one sentence). The floor is the fastest bare loop that posts
the same bytes over as many connections and parses the replies: a few httpx clients, or aiohttp.
They take turns in many short runs, and their best are compared: noise only ever adds time, and of
two loops it finds the longer one more often. Runs with refusals are longer, and so are those that
they are compared with. A run is over when the last row is taken up: after that only refused ones
wait, for a second each, and that is no rate.
"""

import argparse
import asyncio
import gc
import json
import resource
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import NamedTuple

import aiohttp
import httpx

from benchmarks.child import child
from benchmarks.loop import START, ForgettingSink, MemorySource
from benchmarks.loopback_judge import Judge
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
PATHS = {"chat": "/chat/completions", "decisions": "/systemone"}
SCORERS = ScorersSettings(faithfulness=FaithfulnessSettings(), citation_accuracy=None)
PASSAGE = "The north reading room opens at ten and closes at six on weekdays. " * 4


class Figures(NamedTuple):
    """Rows a second, and milliseconds of this process's CPU a row."""

    rows_per_s: float
    cpu_ms_per_row: float


@contextmanager
def judge(seconds: float, refused: float = 0.0) -> Iterator[str]:
    """Yield the address of a judge in a process of its own."""
    with child("-m", "benchmarks.loopback_judge", str(seconds), str(refused)) as address:
        yield f"{address}/v1"


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


class CountedSource(MemorySource):
    """Knows how many rows were finished when the last ones had been taken up."""

    finished = 0
    ended = (0.0, 0)

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield until the last record, and look at the clock."""
        async for batch in super().batches():
            yield batch
        self.ended = time.perf_counter(), self.finished

    def done(self, record: Record) -> None:
        """Count."""
        super().done(record)
        self.finished += 1

    def rate(self, began: float) -> float:
        """Return the rows that were finished a second while there were more to come."""
        at, finished = self.ended
        return finished / (at - began)


async def flow(records: Sequence[Record], url: str, in_flight: int, kind: str = "chat") -> Figures:
    """Score all rows as the command does."""

    def clock() -> datetime:
        return datetime.now(UTC)

    async def beats() -> AsyncIterator[datetime]:
        while True:
            await asyncio.sleep(5)
            yield clock()

    sampler = KeySampler("streamgauge", 1.0, "library/production", {"faithfulness": None})
    source, sink = CountedSource(records), ForgettingSink()
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
        began, cpu = time.perf_counter(), time.process_time()
        await run(source, scoring, beats=beats(), clock=clock, in_flight=2 * in_flight)
        spent = time.process_time() - cpu
    return Figures(source.rate(began), 1000 * spent / len(records))


async def timed(count: int, work: Callable[[], Awaitable[object]]) -> Figures:
    """Measure work over so many rows."""
    began, cpu = time.perf_counter(), time.process_time()
    await work()
    took, spent = time.perf_counter() - began, time.process_time() - cpu
    return Figures(count / took, 1000 * spent / count)


async def bodies(records: Sequence[Record], kind: str) -> list[bytes]:
    """Return the bytes that the flow sends, as a server hears them."""
    heard: list[bytes] = []
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Judge(0, 0, heard.append), "127.0.0.1", 0)
    async with server:
        await flow(records, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", 1, kind)
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


def best(runs: Iterable[Figures]) -> Figures:
    """Return the most rows a second and the least CPU a row of all runs."""
    rates, costs = zip(*runs, strict=True)
    return Figures(max(rates), min(costs))


def compared(records: Sequence[Record], kind: str, runs: int) -> tuple[Figures, Figures]:
    """Return the flow and the faster of the bare loops, 32 calls at once to a judge of 50 ms."""
    sent = asyncio.run(bodies(records, kind))
    bares: dict[str, list[Figures]] = {"aiohttp": [], "httpx": []}
    flows = []
    with judge(0.05) as url:
        for _ in range(runs):
            for library, figures in bares.items():
                figures.append(asyncio.run(bare(sent, f"{url}{PATHS[kind]}", 32, library)))
            flows.append(asyncio.run(flow(records, url, 32, kind)))
    for library, figures in bares.items():
        say(f"{kind}: bare {library}", best(figures))
    say(f"{kind}: the flow", best(flows))
    return best(flows), max(map(best, bares.values()))


def say(name: str, figures: Figures) -> None:
    """Print one line."""
    print(
        f"  {name:<24} {figures.rows_per_s:8.0f} rows/s {figures.cpu_ms_per_row:7.2f} ms CPU a row"
    )


def main() -> None:
    """Measure, print, and end with one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--runs", type=int, default=12)
    arguments = parser.parse_args()
    records, few = rows(arguments.rows), max(1, arguments.runs // 4)
    many = rows(4 * arguments.rows)
    gc.freeze()  # a topic's rows are not in a process's memory: do not make it search them
    chat, floor = compared(records, "chat", arguments.runs)
    decisions, decisions_floor = compared(records, "decisions", arguments.runs)
    with judge(0.5) as url:
        wide = best(asyncio.run(flow(many, url, 128)) for _ in range(few))
    with judge(0.05) as url, judge(0.05, 0.02) as refusing:
        calm = best(asyncio.run(flow(many, url, 32)) for _ in range(few))
        refused = best(asyncio.run(flow(many, refusing, 32)) for _ in range(few))
    say("chat, as many rows", calm)
    say("chat, 2 % refused", refused)
    say("chat, 128 of 500 ms", wide)
    figures = {
        "rows_per_s": round(chat.rows_per_s, 1),
        "floor_rows_per_s": round(floor.rows_per_s, 1),
        "ratio": round(chat.rows_per_s / floor.rows_per_s, 3),
        "cpu_ms_per_row": round(chat.cpu_ms_per_row, 3),
        "rows_per_s_128": round(wide.rows_per_s, 1),
        "rows_per_s_429": round(refused.rows_per_s, 1),
        "ratio_429": round(refused.rows_per_s / calm.rows_per_s, 3),
        "rows_per_s_decisions": round(decisions.rows_per_s, 1),
        "ratio_decisions": round(decisions.rows_per_s / decisions_floor.rows_per_s, 3),
        "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
