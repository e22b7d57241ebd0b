"""What rows of spans cost: OTLP protobuf in memory, against a loop that only parses it.

    python -m benchmarks.assemble [--traces 1000] [--runs 9]

The spans are those of a real LangChain trace (nine spans, 10 KB), under other ids: each trace in
three records, mixed with those of the traces around it, a tenth of the records twice. The floor
parses the same records with protobuf and looks at the trace id of each span. The stage is the real
one (keep, read, hold, close, rows, letters) between a source and a sink in memory, so that no log
is measured: once with every trace kept, and once with one in twenty, by the records' keys.
"""

import argparse
import asyncio
import gc
import hashlib
import json
import random
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from opentelemetry.proto.trace.v1.trace_pb2 import TracesData  # noqa: TID251 - the floor

from schemas.rejection import Rejection
from streams.address import Letter
from streams.assemble.keeping import keeping
from streams.assemble.keyed import KeyCheck
from streams.assemble.letters import RowLetters
from streams.assemble.open_traces import OpenTraces
from streams.assemble.otlp import Keep, every_trace, span_reader
from streams.assemble.rows import rows
from streams.assemble.stage import Assembling
from streams.assemble.times import RecordTime
from streams.memory import suited_to_streams
from streams.ports import Progress, Record
from tests.fakes import no_beats

TEMPLATE = Path(__file__).parents[1] / "tests" / "traces" / "langchain_oi.pb"
PIECES, BATCH, AROUND = 3, 256, 20
START_MS = 1_767_225_600_000
SAMPLED, TWICE = 0.05, 0.1


def trace_id(number: int) -> bytes:
    """Return the id of a trace: no pattern that a draw could follow."""
    return hashlib.blake2b(number.to_bytes(8), digest_size=16).digest()


def pieces(number: int) -> Iterator[bytes]:
    """Yield the spans of a trace in three records, each with its resource and scope."""
    for piece in range(PIECES):
        whole = TracesData.FromString(TEMPLATE.read_bytes())
        for resource in whole.resource_spans:
            for scope in resource.scope_spans:
                mine = scope.spans[piece::PIECES]
                for span in mine:
                    span.trace_id = trace_id(number)
                del scope.spans[:]
                scope.spans.extend(mine)
        yield whole.SerializeToString()


def records_of(traces: int) -> list[Record]:
    """Return the records of so many traces, a thousand a second."""
    rng = random.Random(7)  # noqa: S311 - no secret
    placed: list[tuple[float, int, bytes]] = []
    for number in range(traces):
        for value in pieces(number):
            times = 1 + (rng.random() < TWICE)
            placed += [(number + rng.uniform(0, AROUND), number, value) for _ in range(times)]
    placed.sort(key=lambda one: one[0])
    return [
        Record("otlp_spans", 0, offset, trace_id(n).hex().encode(), value, START_MS + offset)
        for offset, (_, n, value) in enumerate(placed)
    ]


@dataclass(slots=True)
class MemorySource:
    """Hands out records; what becomes of them is of no interest, but that it is told."""

    records: Sequence[Record]
    open_rows: int = 0
    partitions: int = 1

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield all records in order."""
        for start in range(0, len(self.records), BATCH):
            yield self.records[start : start + BATCH]

    def open(self, record: Record) -> None:
        """Count."""
        self.open_rows += 1

    def done(self, record: Record) -> None:
        """Count back."""
        self.open_rows -= 1

    def passed(self, batch: Sequence[Record]) -> None:
        """No books are kept."""

    async def owns(self, record: Record) -> bool:
        """Everything is ours."""
        return True

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """No books are kept."""

    def progress(self) -> Mapping[int, Progress]:
        """The end is known."""
        return {0: Progress(0, len(self.records), 0)}

    def stop(self) -> None:
        """It ends by itself."""


@dataclass(slots=True)
class MemoryPost:
    """Counts letters, and keeps none."""

    letters: int = 0
    rejected: list[Rejection] = field(default_factory=list)

    async def send(self, letters: Sequence[Letter]) -> None:
        """Count."""
        self.letters += len(letters)

    async def fits(self, sent: Letter) -> bool:
        """Everything does."""
        return True

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Nothing should be."""
        self.rejected.append(rejection)


def stage_seconds(records: Sequence[Record], keep: Keep, *, strict: bool) -> tuple[float, int]:
    """Return how long the stage takes, and how many rows it makes."""
    source, post = MemorySource(records), MemoryPost()
    stage = Assembling(
        source=source,
        post=post,
        read=span_reader("otlp_proto"),
        keyed=KeyCheck(keep, strict),
        traces=OpenTraces(),
        letters=RowLetters(rows, "rag.traces"),
        time=RecordTime(),
        clock=lambda: datetime.now(UTC),
        ends=True,
    )
    gc.collect()
    began = time.process_time()
    with suited_to_streams():
        asyncio.run(stage.run(no_beats()))
    took = time.process_time() - began
    if source.open_rows or post.rejected:
        raise RuntimeError("something was not written")
    return took, post.letters


def floor_seconds(records: Sequence[Record]) -> float:
    """Return how long protobuf itself takes, and a look at each trace id."""
    gc.collect()
    began, spans = time.process_time(), 0
    for record in records:
        batch = TracesData()
        batch.ParseFromString(record.value or b"")
        for resource in batch.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    spans += bool(span.trace_id)
    return time.process_time() - began


def main() -> None:
    """Measure in turns, and print the runs that were disturbed least."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--traces", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=9)
    asked = parser.parse_args()
    records = records_of(asked.traces)
    read = span_reader("otlp_proto")
    spans = sum(len(read(record.value or b"")) for record in records)
    sampled = keeping("streamgauge", {"base": SAMPLED}, {"faithfulness": None})
    floors, wholes, samples = list[float](), list[float](), list[float]()
    for _ in range(asked.runs):
        floors.append(spans / floor_seconds(records))
        took, made = stage_seconds(records, every_trace, strict=False)
        if made != asked.traces:
            raise RuntimeError(f"{made} rows of {asked.traces} traces")
        wholes.append(spans / took)
        samples.append(spans / stage_seconds(records, sampled, strict=True)[0])
    floor, whole, sample = map(max, (floors, wholes, samples))
    print(f"{spans} spans in {len(records)} records of {asked.traces} traces, one core")
    for name, rate in [
        ("parsed only", floor),
        ("assembled, every trace", whole),
        (f"assembled, {SAMPLED:.0%} of the traces by key", sample),
    ]:
        print(f"{name:42} {rate:12,.0f} spans/s {rate / floor:8.2f} of the floor")
    figures = {
        "spans_per_s": round(whole),
        "parse_floor_spans_per_s": round(floor),
        "sampled_spans_per_s": round(sample),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
