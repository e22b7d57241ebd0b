"""Spans in, rows out: what is written, what is set aside, and what may be committed meanwhile."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from schemas.rejection import Rejection
from schemas.trace import Passage, RagTrace
from schemas.wire import from_milliseconds
from streams.address import EVENT_ID, ORIGIN, Letter
from streams.assemble.keyed import KeyCheck, NotKeyedError
from streams.assemble.letters import RowLetters
from streams.assemble.open_traces import Limits, OpenTraces
from streams.assemble.otlp import Keep, UnreadableSpansError, every_trace
from streams.assemble.span import Span
from streams.assemble.stage import Assembling
from streams.assemble.times import RecordTime
from streams.ports import Progress, Record
from tests.fakes import NOON, no_beats
from tests.streams.assemble.spans import a_span, a_whole_trace, trace_id

NOON_MS = 1_767_268_800_000


def reading(value: bytes, keep: Keep = every_trace, /) -> list[Span]:
    """Read what `a_batch` wrote."""
    try:
        spans = msgspec.json.decode(value, type=list[dict[str, object]])
    except msgspec.DecodeError:
        raise UnreadableSpansError("not_otlp", "no list") from None
    found = [
        a_span(root=one["root"], number=one["number"], trace=one["trace"], start=one["number"])  # type: ignore[arg-type]
        for one in spans
    ]
    return [span for span in found if keep(span.trace_id)]


def a_batch(*spans: Span) -> bytes:
    return msgspec.json.encode(
        [
            {
                "trace": int(span.trace_id, 16) - 1,
                "number": int(span.span_id, 16) - 1,
                "root": span.parent_id is None,
            }
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


def at(offset: int, *spans: Span, second: int = 0, partition: int = 0, **more: object) -> Record:
    """Return a record of these spans."""
    at_ms = NOON_MS + 1_000 * second
    record = Record("otlp_spans", partition, offset, None, a_batch(*spans), at_ms)
    return record._replace(**more)  # type: ignore[arg-type]


def a_stage(
    source: Spans,
    post: ListPost,
    *,
    keep: Keep = every_trace,
    strict: bool = False,
    ends: bool = True,
    rows: Callable[[Sequence[Span]], Sequence[RagTrace]] = a_row,
    limits: Limits | None = None,
) -> Assembling:
    return Assembling(
        source=source,
        post=post,
        read=reading,
        keyed=KeyCheck(keep, strict),
        traces=OpenTraces(limits or Limits()),
        letters=RowLetters(rows, "rag.traces"),
        time=RecordTime(),
        clock=lambda: NOON,
        ends=ends,
    )


async def test_spans_over_records_and_partitions_become_one_row_keyed_by_its_trace() -> None:
    spans = a_whole_trace(0, 4)
    source = Spans([[at(0, spans[2])], [at(0, spans[1], partition=1)], [at(1, spans[3], spans[0])]])
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    [letter] = post.letters
    assert (letter.topic, letter.key, letter.route) == ("rag.traces", *[trace_id(0).encode()] * 2)
    assert post.answers == {trace_id(0): "4 spans."}
    assert source.still_open == set()
    assert source.sealed == {0: 2, 1: 1}


async def test_a_rows_bytes_are_the_same_in_whatever_order_its_spans_came() -> None:
    spans = a_whole_trace(0, 4)
    sent = []
    for order in (spans, spans[::-1], [*spans[2:], *spans[:2], *spans]):
        post = ListPost()
        await a_stage(Spans([[at(n, span) for n, span in enumerate(order)]]), post).run(no_beats())
        sent.append([(letter.key, letter.value) for letter in post.letters])

    assert sent[0] == sent[1] == sent[2]


async def test_a_trace_is_written_as_soon_as_the_records_say_that_it_was_quiet() -> None:
    first = [at(0, *a_whole_trace(0, 2)), at(1, a_span(1, root=True), second=6)]
    source, post = Spans([first]), ListPost()

    await a_stage(source, post, ends=False).run(no_beats())

    assert post.answers == {trace_id(0): "2 spans."}
    assert source.still_open == {1}


async def test_a_stop_writes_nothing_of_what_is_open_and_leaves_its_records_open() -> None:
    source, post = Spans([[at(0, a_span(0, root=True))]]), ListPost()
    stage = a_stage(source, post)

    stage.stop()
    await stage.run(no_beats())
    assert post.letters == []

    source.stopped = False
    again = a_stage(source, post, ends=False)
    await again.run(no_beats())
    assert (post.letters, source.still_open) == ([], {0})


async def test_what_is_not_kept_is_neither_waited_for_nor_written() -> None:
    source = Spans([[at(0, a_span(0, root=True)), at(1, a_span(1, root=True))]])
    post = ListPost()

    await a_stage(source, post, keep=lambda one: one == trace_id(1)).run(no_beats())

    assert post.answers == {trace_id(1): "1 spans."}
    assert source.opened == {0: set()}


async def test_a_record_that_cannot_be_read_is_set_aside_and_the_rest_goes_on() -> None:
    broken = at(0)._replace(value=b"{")
    source, post = Spans([[broken, at(1, a_span(0, root=True))]]), ListPost()

    await a_stage(source, post).run(no_beats())

    assert post.rejected == [(broken, Rejection("not_otlp", "no list"))]
    assert (len(post.letters), source.still_open) == (1, set())


async def test_an_empty_record_is_passed_over() -> None:
    source, post = Spans([[at(0)._replace(value=None)]]), ListPost()

    await a_stage(source, post).run(no_beats())

    assert (post.rejected, post.letters, source.opened) == ([], [], {})


async def test_what_an_earlier_life_finished_is_done_and_what_comes_late_of_it_too() -> None:
    source = Spans([[at(0, a_span(0, root=True), finished=True), at(1, a_span(0, 1))]])
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert (post.letters, source.still_open) == ([], set())


async def test_a_row_that_an_earlier_life_wrote_is_not_written_again_though_a_span_came_late() -> (
    None
):
    one, two = ListPost(), ListPost()
    records = [at(4, *a_whole_trace(0, 2)), at(5, a_span(1, root=True))]
    await a_stage(Spans([records]), one).run(no_beats())
    headers = dict(one.letters[0].headers)
    assert headers[ORIGIN] == f"otlp_spans/0/4/{NOON_MS}".encode()

    published = frozenset({headers[EVENT_ID].decode()})
    again = Spans([[records[0]._replace(published=published), at(5, a_span(0, 7), a_span(1))]])
    await a_stage(again, two).run(no_beats())

    assert list(two.answers) == [trace_id(1)]
    assert again.still_open == set()


async def test_traces_of_a_partition_that_was_lost_are_not_written() -> None:
    source = Spans([[at(0, a_span(0, root=True))], [at(0, a_span(1), partition=1)]], gone={0: 1})
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert list(post.answers) == [trace_id(1)]


async def test_a_partition_that_comes_back_in_a_new_epoch_begins_anew() -> None:
    first, again = at(0, a_span(0, 1)), at(0, a_span(0, 1), epoch=2)
    source = Spans([[first], [again, at(1, a_span(0, 0, root=True), epoch=2)]])
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert post.answers == {trace_id(0): "2 spans."}


async def test_of_a_trace_that_was_cut_short_only_a_row_that_says_all_is_written_and_says_so() -> (
    None
):
    source = Spans([[at(n, a_span(n, root=True)) for n in (0, 9, 5)]])
    post = ListPost()

    await a_stage(source, post, limits=Limits(max_traces=1)).run(no_beats())

    rows = [RagTrace.model_validate_json(letter.value) for letter in post.letters]
    told = {row.trace_id: row.attributes for row in rows}
    assert told == {trace_id(0): {"closed_early": "crowded"}, trace_id(5): {}}


async def test_without_a_root_a_row_needs_an_answer() -> None:
    source = Spans([[at(0, a_span(0)), at(1, a_span(9))]])
    post = ListPost()

    await a_stage(source, post).run(no_beats())

    assert list(post.answers) == [trace_id(0)]


async def test_what_rows_lack_is_counted_by_dialect_and_told() -> None:
    def lacking(spans: Sequence[Span]) -> list[RagTrace]:
        return [row.model_copy(update={"missing": ("contexts",)}) for row in a_row(spans)]

    stage = a_stage(Spans([[at(0, a_span(0, root=True))]]), ListPost(), rows=lacking)

    await stage.run(no_beats())

    assert stage.letters.missing == {("invented", "contexts"): 1}
    assert stage.figures["missing"] == {"invented contexts": 1}


async def test_a_row_that_no_topic_takes_is_told_of_in_the_dead_letters() -> None:
    source, post = Spans([[at(3, a_span(0, root=True))]]), ListPost(most=10)

    await a_stage(source, post).run(no_beats())

    [(record, rejection)] = post.rejected
    assert (record.offset, record.key, record.value) == (3, trace_id(0).encode(), None)
    assert rejection.reason == "row_too_large"
    assert source.still_open == set()


async def test_where_keys_are_relied_on_a_record_of_another_trace_stops_the_stage() -> None:
    key = trace_id(0).encode()
    source = Spans([[at(0, a_span(0), key=key.upper()), at(1, a_span(0), a_span(1), key=key)]])

    with pytest.raises(ExceptionGroup) as raised:
        await a_stage(source, ListPost(), strict=True).run(no_beats())

    assert raised.group_contains(NotKeyedError, match="by_trace.* record 0/1 of otlp_spans")


async def test_a_record_without_a_key_stops_it_too() -> None:
    with pytest.raises(ExceptionGroup) as raised:
        await a_stage(Spans([[at(0, a_span(0))]]), ListPost(), strict=True).run(no_beats())

    assert raised.group_contains(NotKeyedError)


async def test_a_record_whose_key_nobody_wants_is_not_read_but_for_a_check_now_and_then() -> None:
    keys = [trace_id(n).encode() for n in range(200)]
    records = [at(n, key=key)._replace(value=b"{") for n, key in enumerate(keys)]
    source, post = Spans([records]), ListPost()

    await a_stage(source, post, keep=lambda one: False, strict=True).run(no_beats())

    assert 2 <= len(post.rejected) <= 5


async def test_rows_that_are_being_written_when_the_source_ends_are_written() -> None:
    """A beat writes the first trace, and has not ended when the source does."""
    writing, ended = asyncio.Event(), asyncio.Event()

    class SlowPost(ListPost):
        async def send(self, letters: Sequence[Letter]) -> None:
            if letters:
                writing.set()
                await ended.wait()
            await super().send(letters)

    class EndsMeanwhile(Spans):
        async def batches(self) -> AsyncIterator[Sequence[Record]]:
            yield self.batched[0]
            stage.time.saw(at(1, second=6))
            beat.set()
            await writing.wait()
            asyncio.get_running_loop().call_soon(ended.set)

    beat = asyncio.Event()

    async def one_beat() -> AsyncIterator[datetime]:
        await beat.wait()
        yield NOON

    post = SlowPost()
    stage = a_stage(EndsMeanwhile([[at(0, a_span(0, root=True))]]), post)
    await stage.run(one_beat())

    assert list(post.answers) == [trace_id(0)]


async def test_time_closes_traces_while_nothing_comes() -> None:
    """The source has no more records, and does not end: beats alone let time pass."""
    source, post = Spans([[at(0, a_span(0, root=True))]]), ListPost()
    stage = a_stage(source, post, ends=False)
    await stage.run(no_beats())
    stage.time.saw(at(1, second=6))

    async def one() -> AsyncIterator[datetime]:
        yield datetime.now(UTC) + timedelta(seconds=1)

    await stage._keep_time(one())

    assert len(post.letters) == 1
