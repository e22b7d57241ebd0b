"""A record that mixes traces is cut up, and nothing of a span is lost."""

from collections.abc import Callable, Sequence

import pytest

from schemas.rejection import Rejection
from streams.assemble.otlp import SpanEncoding, every_trace, span_reader
from streams.assemble.span import Scope, Span, SpanEvent
from streams.assemble.splitting import Splitting, splitter
from streams.pipeline import run
from streams.ports import Record
from tests.fakes import NOON, no_beats
from tests.streams.assemble.otlp_batches import as_json, as_proto, bare_span
from tests.streams.assemble.spans import a_whole_trace, trace_id
from tests.streams.assemble.staging import ListPost, Spans

WRITTEN: dict[SpanEncoding, Callable[[Sequence[Span]], bytes]] = {
    "otlp_proto": as_proto,
    "otlp_json": as_json,
}
MIXED = [
    span for pair in zip(a_whole_trace(0, 3), a_whole_trace(1, 3), strict=True) for span in pair
]


def splitting(source: Spans, post: ListPost, encoding: SpanEncoding) -> Splitting:
    return Splitting(
        source=source,
        post=post,
        read=span_reader(encoding),
        split=splitter(encoding),
        keep=lambda one: one != trace_id(7),
        to="streamgauge.assemble.spans",
        clock=lambda: NOON,
    )


async def split(records: Sequence[Record], encoding: SpanEncoding) -> tuple[ListPost, Spans]:
    source, post = Spans([records]), ListPost()
    half = splitting(source, post, encoding)
    await run(source, half, beats=no_beats(), clock=lambda: NOON, in_flight=4)
    return post, source


@pytest.mark.parametrize("encoding", WRITTEN)
async def test_each_trace_gets_a_record_of_its_own_keyed_by_its_id(encoding: SpanEncoding) -> None:
    record = Record("otlp_spans", 0, 0, None, WRITTEN[encoding](MIXED), 0, (("a", b"b"),))

    post, source = await split([record], encoding)

    assert [one.key for one in post.letters] == [trace_id(0).encode(), trace_id(1).encode()]
    assert {one.topic for one in post.letters} == {"streamgauge.assemble.spans"}
    assert {one.headers for one in post.letters} == {(("a", b"b"),)}
    read = span_reader(encoding)
    assert [read(one.value) for one in post.letters] == [a_whole_trace(0, 3), a_whole_trace(1, 3)]
    assert (source.still_open, source.sealed) == (set(), {0: 1})


@pytest.mark.parametrize("encoding", WRITTEN)
def test_resource_scope_events_and_values_come_through(encoding: SpanEncoding) -> None:
    whole = bare_span(
        "answer",
        attributes={"a": [1, "b", {"c": None}], "d": 0.5},
        events=(SpanEvent("choice", 7, {"e": True}),),
        resource={"service.name": "shop"},
        scope=Scope("openinference", "1.0"),
        failed=True,
    )

    parts = splitter(encoding)(WRITTEN[encoding]([whole]), {whole.trace_id})

    assert span_reader(encoding)(parts[whole.trace_id], every_trace) == [whole]


ODD = {
    "a number that no float holds": b"1e999",
    "an endless whole number": b"1" * 6_000,
    "bytes that are no UTF-8": b'"\xff"',
    "many levels": b"[" * 500 + b"]" * 500,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
async def test_what_no_reader_looks_at_is_passed_on_whatever_it_is(odd: bytes) -> None:
    value = as_json(MIXED).replace(b'"status"', b'"flags": ' + odd + b', "status"')

    post, _ = await split([Record("otlp_spans", 0, 0, None, value, 0)], "otlp_json")

    assert [one.key for one in post.letters] == [trace_id(0).encode(), trace_id(1).encode()]
    assert all(odd in one.value for one in post.letters)
    assert span_reader("otlp_json")(post.letters[0].value) == a_whole_trace(0, 3)


async def test_a_record_with_a_name_that_is_no_text_is_set_aside() -> None:
    value = as_json(MIXED).replace(b'{"resourceSpans"', b'{"\xff": 1, "resourceSpans"')
    record = Record("otlp_spans", 0, 0, None, value, 0)

    post, _ = await split([record], "otlp_json")

    assert [why.reason for _, why in post.rejected] == ["not_otlp"]
    assert post.letters == []


@pytest.mark.parametrize("encoding", WRITTEN)
async def test_traces_that_nobody_wants_are_not_written(encoding: SpanEncoding) -> None:
    value = WRITTEN[encoding]([*a_whole_trace(7, 2), *a_whole_trace(0, 1)])

    post, _ = await split([Record("otlp_spans", 0, 0, None, value, 0)], encoding)

    assert [one.key for one in post.letters] == [trace_id(0).encode()]


async def test_what_cannot_be_read_is_set_aside_and_what_is_done_is_passed_over() -> None:
    broken = Record("otlp_spans", 0, 0, None, b"\xff", 0)
    done = broken._replace(offset=1, finished=True)
    empty = broken._replace(offset=2, value=None)

    post, source = await split([broken, done, empty], "otlp_proto")

    assert post.rejected == [(broken, Rejection("not_otlp", "not OTLP protobuf"))]
    assert (post.letters, source.still_open) == ([], set())


async def test_a_part_that_no_topic_takes_is_told_of_in_the_dead_letters() -> None:
    source = Spans([[Record("otlp_spans", 0, 5, None, as_proto(MIXED), 0)]])
    post = ListPost(most=10)

    half = splitting(source, post, "otlp_proto")
    await run(source, half, beats=no_beats(), clock=lambda: NOON, in_flight=4)

    assert [(r.offset, r.key, why.reason) for r, why in post.rejected] == [
        (5, trace_id(0).encode(), "row_too_large"),
        (5, trace_id(1).encode(), "row_too_large"),
    ]
