"""The flow's own cost: 2 KB rows in memory, 1 % sampled by key, against a bare loop that only draws.

    python benchmarks/loop.py [--rows 200000] [--runs 5]

The floor is the fastest honest loop over the same records: id bytes, keyed hash, compare. The flow
is the real one (draw, tally, decode, score, build events, marks) with a scorer that answers at once
and a sink that keeps nothing, so that neither a judge nor a log is measured.
"""

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import Outcome, Scored
from schemas.trace import RagTrace
from scorers.contract import Judge
from scorers.judges.rules import RulesJudge
from streams.events import Scorecard
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout
from streams.memory import MemorySource
from streams.panel import Seat
from streams.pipeline import Scoring, run
from streams.ports import Message, Record
from streams.sampling import KeySampler, drawing, id_bytes
from streams.tallying import Tallying

SALT, PROBABILITY = "streamgauge", 0.01
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


def bare(records: Sequence[Record]) -> float:
    """Return the rows a second of a loop that only draws."""
    draw, bound = drawing(SALT), PROBABILITY * 2**64
    began, kept = time.perf_counter(), 0
    for record in records:
        if draw(id_bytes(record.key or b"")) < bound:
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
    source = MemorySource(records)
    scoring = Scoring(
        source=source,
        sampler=sampler,
        decode=Intake(RowLayout(assistant=("library", "production"))).decode,
        tallying=Tallying(sampler.chances, clock),
        panel={"instant": Seat(InstantScorer(), RulesJudge(), timedelta(seconds=120))},
        scorecard=Scorecard("key", "claims"),
        sink=ForgettingSink(),
        clock=clock,
        worker="loop",
    )
    began = time.perf_counter()
    await run(source, scoring, beats=beats(), clock=clock, in_flight=32)
    return len(records) / (time.perf_counter() - began)


def main() -> None:
    """Measure both in turn, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    records = rows(arguments.rows)
    floors, flows = [], []
    for _ in range(arguments.runs):
        floors.append(bare(records))
        flows.append(asyncio.run(flow(records)))
    floor, rate = statistics.median(floors), statistics.median(flows)
    ratio = statistics.median(f / b for f, b in zip(flows, floors, strict=True))
    kib = statistics.fmean(len(r.value or b"") for r in records) / 1024
    print(
        f"rows of {kib:.1f} KiB, {PROBABILITY:.0%} sampled by key, median of {arguments.runs} runs"
    )
    print(f"  bare loop {floor:>12,.0f} rows/s")
    print(f"  the flow  {rate:>12,.0f} rows/s   {ratio:.2f} of the floor")
    print(
        json.dumps(
            {"ratio": round(ratio, 3), "rows_per_s": round(rate), "floor_rows_per_s": round(floor)}
        )
    )


if __name__ == "__main__":
    main()
