"""The stage that makes rows: which it writes, what it sets aside, and what stops it."""

from collections.abc import Sequence

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.assemble.closing import ClosingLimits
from streams.assemble.keyed import NotKeyedError
from streams.assemble.span import Span
from tests.fakes import no_beats
from tests.streams.assemble.spans import a_span, a_whole_trace, trace_id
from tests.streams.assemble.staging import ListPost, Spans, a_row, a_stage, at


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


async def test_of_a_trace_that_was_cut_short_only_a_row_that_says_all_is_written_and_says_so() -> (
    None
):
    source = Spans([[at(n, a_span(n, root=True)) for n in (0, 9, 5)]])
    post = ListPost()

    await a_stage(source, post, limits=ClosingLimits(max_traces=1)).run(no_beats())

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


async def test_a_trace_in_a_partition_that_is_read_ahead_waits_for_its_rest_there() -> None:
    ahead = [at(0, a_span(9), second=0), at(1, a_span(0, 1), second=58)]
    behind = [
        at(number, a_span(10 + number), second=9 * number, partition=1) for number in range(10)
    ]
    rest = [at(2, a_span(0, root=True), second=60)]
    post = ListPost()

    await a_stage(Spans([behind[:1], ahead, behind[1:], rest]), post).run(no_beats())

    assert post.answers[trace_id(0)] == "2 spans."
