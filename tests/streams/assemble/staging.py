"""A stage between spans of a test's own and a post that keeps its letters."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from schemas.rejection import Rejection
from schemas.trace import Passage, RagTrace
from schemas.wire import from_milliseconds
from streams.address import Letter
from streams.assemble.closing import ClosingLimits
from streams.assemble.keyed import KeyCheck
from streams.assemble.letters import RowLetters
from streams.assemble.open_traces import OpenTraces
from streams.assemble.otlp import Keep, UnreadableSpansError, every_trace
from streams.assemble.span import Span
from streams.assemble.stage import Assembling
from streams.assemble.times import RecordTime
from streams.ports import Progress, Record
from tests.fakes import NOON
from tests.streams.assemble.spans import a_span, trace_id

NOON_MS = 1_767_268_800_000


class Written(msgspec.Struct):
    """What `a_batch` writes of a span."""

    trace: int
    number: int
    root: bool


def reading(value: bytes, keep: Keep = every_trace, /) -> list[Span]:
    """Read what `a_batch` wrote."""
    try:
        spans = msgspec.json.decode(value, type=list[Written])
    except msgspec.DecodeError:
        raise UnreadableSpansError("not_otlp", "no list") from None
    found = [
        a_span(root=one.root, number=one.number, trace=one.trace, start=one.number) for one in spans
    ]
    return [span for span in found if keep(span.trace_id)]


def a_batch(*spans: Span) -> bytes:
    return msgspec.json.encode(
        [
            Written(
                trace=int(span.trace_id, 16) - 1,
                number=int(span.span_id, 16) - 1,
                root=span.parent_id is None,
            )
            for span in spans
        ]
    )


def a_row(spans: Sequence[Span]) -> list[RagTrace]:
    """Return one row, whose answer tells how many spans there were; trace 9 says nothing."""
    root = spans[0]
    silent = root.trace_id == trace_id(9)
    return [
        RagTrace(
            trace_id=root.trace_id,
            root_span_id=root.span_id,
            service="shop",
            answered_at=from_milliseconds(max(span.end_ns for span in spans) // 1_000_000),
            question="How many?",
            contexts=(Passage(key="1", text="Some."),),
            answer=None if silent else f"{len(spans)} spans.",
            dialect="invented",
        )
    ]


@dataclass
class ListPost:
    """Keeps what is sent, and refuses letters of more than `most` bytes."""

    most: int = 1 << 20
    letters: list[Letter] = field(default_factory=list)
    rejected: list[tuple[Record, Rejection]] = field(default_factory=list)

    async def send(self, letters: Sequence[Letter]) -> None:
        self.letters += letters

    async def fits(self, sent: Letter) -> bool:
        return len(sent.value) <= self.most

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        self.rejected.append((record, rejection))

    @property
    def answers(self) -> dict[str, str | None]:
        rows = [RagTrace.model_validate_json(letter.value) for letter in self.letters]
        return {row.trace_id: row.answer for row in rows}


@dataclass
class Spans:
    """A source of records. `gone` partitions are no longer ours after so many batches."""

    batched: Sequence[Sequence[Record]]
    gone: Mapping[int, int] = field(default_factory=dict)
    read: int = 0
    opened: dict[int, set[int]] = field(default_factory=dict)
    sealed: dict[int, int] = field(default_factory=dict)
    partitions: int = 2
    stopped: bool = False

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        for batch in self.batched:
            if self.stopped:
                return
            yield batch
            self.read += 1

    def open(self, record: Record) -> None:
        self.opened.setdefault(record.partition, set()).add(record.offset)

    def passed(self, batch: Sequence[Record]) -> None:
        pass

    def done(self, record: Record) -> None:
        self.opened[record.partition].remove(record.offset)

    async def owns(self, record: Record) -> bool:
        return self.read < self.gone.get(record.partition, 1 << 30)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        self.sealed[partition] = to

    def progress(self) -> Mapping[int, Progress]:
        ends: dict[int, int] = {}
        for batch in self.batched:
            for record in batch:
                ends[record.partition] = record.offset + 1
        return {number: Progress(0, end, 0) for number, end in ends.items()}

    def stop(self) -> None:
        self.stopped = True

    @property
    def still_open(self) -> set[int]:
        return set().union(*self.opened.values())


def at(
    offset: int, *spans: Span, second: int = 0, partition: int = 0, key: bytes | None = None
) -> Record:
    """Return a record of these spans."""
    at_ms = NOON_MS + 1_000 * second
    return Record("otlp_spans", partition, offset, key, a_batch(*spans), at_ms)


def a_stage(
    source: Spans,
    post: ListPost,
    *,
    keep: Keep = every_trace,
    strict: bool = False,
    ends: bool = True,
    rows: Callable[[Sequence[Span]], Sequence[RagTrace]] = a_row,
    limits: ClosingLimits | None = None,
) -> Assembling:
    return Assembling(
        source=source,
        post=post,
        read=reading,
        keyed=KeyCheck(keep, strict),
        traces=OpenTraces(limits or ClosingLimits()),
        letters=RowLetters(rows, "rag.traces"),
        time=RecordTime(),
        clock=lambda: NOON,
        ends=ends,
    )
