"""What the flow itself costs: 2 KB rows in memory, 1 % sampled, against a loop that only draws.

    python benchmarks/loop.py [--rows 20000] [--runs 60]

The floor is the loop that the rule of the draw itself asks for, over the same records: id bytes,
keyed hash, compare. Beside it stands the quickest such loop we know, which hashes the key once for
all; the flow draws in that way too. The flow is the real one (draw, tally, decode, score, build
events, marks) with a scorer that answers at once and a sink that keeps nothing, so that neither a
judge nor a log is measured.
"""

import argparse
import asyncio
import gc
import hashlib
import json
import statistics
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice

from pydantic import JsonValue

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import Outcome, Scored
from schemas.trace import RagTrace
from scorers.contract import Judge
from scorers.judges.rules import RulesJudge
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.pipeline import Scoring, run
from streams.ports import Message, Progress, Record
from streams.scoring.books import Books
from streams.scoring.drawing import bound_of, drawing
from streams.scoring.events import Scorecard
from streams.scoring.panel import Seat
from streams.scoring.sampling import KeySampler
from streams.scoring.tallying import Tallying

SALT, PROBABILITY, BATCH, HEX_DIGITS = "streamgauge", 0.01, 256, 32
START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class InstantScorer:
    """Finds every answer good without asking anyone."""

    name: str = "instant"
    version: str = "1"
    settings: Mapping[str, JsonValue] = field(default_factory=dict)

    async def score(self, trace: RagTrace, judge: Judge) -> Outcome:
        """Answer at once."""
        return Scored(score=1.0, normalized=1.0, label="supported", counts={"claims": 1})

    def bad(self, verdict: Scored) -> bool:
        """Nothing is."""
        return False


class MemorySource:
    """Yields the records of one partition once, and ends."""

    partitions = 1

    def __init__(self, records: Iterable[Record]) -> None:
        self._records = iter(records)
        self._read = 0
        self._open: set[int] = set()
        self._stopped = False

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield until the last record, or until stopped."""
        while not self._stopped and (batch := list(islice(self._records, BATCH))):
            yield batch

    def open(self, record: Record) -> None:
        """Note a record with work."""
        self._open.add(record.offset)
        self._read = record.offset + 1

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that a batch is decided."""
        self._read = batch[-1].offset + 1

    def done(self, record: Record) -> None:
        """Note that a record is finished."""
        self._open.discard(record.offset)

    async def owns(self, record: Record) -> bool:
        """Say that it is ours."""
        return True

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Nothing is committed."""

    def progress(self) -> Mapping[int, Progress]:
        """Return how far it was read."""
        return {0: Progress(next=min(self._open, default=self._read), end=self._read, epoch=0)}

    def stop(self) -> None:
        """End after this batch."""
        self._stopped = True


class ForgettingSink:
    """Counts what it is given."""

    def __init__(self) -> None:
        self.messages = 0

    async def publish(self, messages: Sequence[Message]) -> None:
        """Count."""
        self.messages += len(messages)

    async def mark(self, mark: Mark) -> None:
        """Count."""
        self.messages += 1

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Count."""
        self.messages += 1


def rows(count: int) -> list[Record]:
    """Return `count` records of about 2 KB, ten milliseconds apart."""
    passage = "The north reading room opens at ten and closes at six on weekdays. " * 8
    records = []
    for n in range(count):
        trace_id = f"{n * 0x9E3779B97F4A7C15 % (1 << 128):032x}"
        value = json.dumps(
            {
                "trace_id": trace_id,
                "service": "library",
                "answered_at": (START + timedelta(milliseconds=10 * n)).isoformat(),
                "question": "When does the north reading room open?",
                "contexts": [{"key": str(k), "text": passage} for k in range(1, 4)],
                "answer": "It opens at ten on weekdays. [1]",
                "attributes": {"prompt_version": "v7"},
            }
        ).encode()
        at = int(START.timestamp() * 1000) + 10 * n
        records.append(Record("rag.traces", 0, n, trace_id.encode(), value, at))
    return records


def by_the_rule(records: Sequence[Record]) -> float:
    """Return the rows a second of a loop that draws as the rule is written, without our code."""
    bound, salt = int(PROBABILITY * 2**64), SALT.encode()
    began, kept = time.perf_counter(), 0
    for record in records:
        key = record.key or b""
        digits = key.replace(b"-", b"")
        raw = bytes.fromhex(digits.decode()) if len(digits) == HEX_DIGITS else key
        digest = hashlib.blake2b(raw, key=salt, digest_size=8).digest()
        if int.from_bytes(digest) < bound:
            kept += 1
    return len(records) / (time.perf_counter() - began)


def quickest(records: Sequence[Record]) -> float:
    """Return the rows a second of a loop that draws as quickly as we know how."""
    draw, bound = drawing(SALT), bound_of(PROBABILITY)
    began, kept = time.perf_counter(), 0
    for record in records:
        if draw(record.key or b"") < bound:
            kept += 1
    return len(records) / (time.perf_counter() - began)


async def flow(records: Sequence[Record]) -> float:
    """Return the rows a second of the real flow over the same records."""

    def clock() -> datetime:
        return datetime.now(UTC)

    async def beats() -> AsyncIterator[datetime]:
        while True:
            await asyncio.sleep(5)
            yield clock()

    sampler = KeySampler(SALT, PROBABILITY, "library/production", {"instant": None})
    source, sink = MemorySource(records), ForgettingSink()
    scoring = Scoring(
        sampler=sampler,
        decode=Intake(RowLayout(assistant=("library", "production"))).decode,
        panel={"instant": Seat(InstantScorer(), RulesJudge(), timedelta(seconds=120))},
        scorecard=Scorecard("key", "claims"),
        sink=sink,
        books=Books(Tallying(sampler.chances, clock), source, sink, "loop"),
        clock=clock,
    )
    began = time.perf_counter()
    await run(source, scoring, beats=beats(), clock=clock, in_flight=32)
    return len(records) / (time.perf_counter() - began)


def main() -> None:
    """Measure them in turn, and compare their best runs: noise only ever adds time.

    Many short runs, for the longer of two finds a busy machine quiet less often.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=60)
    arguments = parser.parse_args()
    records = rows(arguments.rows)
    gc.freeze()  # a topic's rows are not in a process's memory: do not make it search them
    floors, quickests, flows = [], [], []
    for _ in range(arguments.runs):
        floors.append(by_the_rule(records))
        quickests.append(quickest(records))
        flows.append(asyncio.run(flow(records)))
    floor, fastest, rate = max(floors), max(quickests), max(flows)
    kib = statistics.fmean(len(r.value or b"") for r in records) / 1024
    print(f"rows of {kib:.1f} KiB, {PROBABILITY:.0%} sampled by key, best of {arguments.runs} runs")
    for name, best in (("floor", floor), ("quickest loop", fastest), ("the flow", rate)):
        print(f"  {name:14} {best:>12,.0f} rows/s")
    figures = {
        "ratio": round(rate / floor, 3),
        "ratio_to_quickest": round(rate / fastest, 3),
        "rows_per_s": round(rate),
        "floor_rows_per_s": round(floor),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
