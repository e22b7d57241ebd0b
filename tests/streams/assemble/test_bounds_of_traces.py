"""No bound is passed, and none can stop the flow: traces are closed early until it holds."""

from streams.assemble.closing import ClosingLimits
from streams.assemble.open_traces import OpenTraces
from streams.assemble.places import RecordRef
from tests.streams.assemble.spans import a_span, trace_id

HERE = RecordRef(0, 7)


def test_the_oldest_is_closed_where_there_is_no_room_for_another() -> None:
    traces = OpenTraces(ClosingLimits(max_traces=2))

    closed = [c for n in range(3) for c in traces.add([a_span(n)], RecordRef(0, n), now=n)]

    assert [(c.trace_id, c.why, c.cut_short) for c in closed] == [(trace_id(0), "crowded", True)]


def test_the_oldest_are_closed_until_the_rest_fits_into_memory() -> None:
    traces = OpenTraces(ClosingLimits(max_bytes=10_000))
    text = {"output.value": "x" * 3_000}

    closed = []
    for number in range(6):
        closed += traces.add([a_span(number, attributes=text)], RecordRef(0, number), now=number)
        assert traces.bytes <= 10_000

    assert [c.trace_id for c in closed] == [trace_id(0), trace_id(1), trace_id(2), trace_id(3)]


def test_what_a_process_says_of_itself_is_weighed_once_for_the_spans_of_a_record() -> None:
    resource = {"k8s.pod.annotations": "x" * 5_000}
    spans = [a_span(number=number, resource=resource) for number in range(3)]
    traces = OpenTraces()

    traces.add(spans, HERE, now=0)
    of_one_record = traces.bytes
    traces.add([a_span(number=3, resource=dict(resource))], RecordRef(0, 8), now=0)

    assert 5_000 < of_one_record < 10_000 < traces.bytes


def test_a_text_weighs_what_it_takes_in_memory() -> None:
    traces = OpenTraces()

    traces.add([a_span(attributes={"input.value": "x" * 9_999 + "\N{GRINNING FACE}"})], HERE, now=0)

    assert traces.bytes > 40_000


def test_a_single_record_larger_than_the_memory_cannot_stop_the_flow() -> None:
    traces = OpenTraces(ClosingLimits(max_bytes=1_000))

    [closed] = traces.add([a_span(attributes={"input.value": "x" * 9_000})], HERE, now=0)

    assert (closed.why, traces.bytes, len(traces)) == ("crowded", 0, 0)


def test_a_trace_of_too_many_spans_or_bytes_is_cut_short() -> None:
    many = OpenTraces(ClosingLimits(max_spans=3))
    large = OpenTraces(ClosingLimits(max_trace_bytes=2_000))

    [by_number] = many.add([a_span(number=n) for n in range(9)], HERE, now=0)
    [by_size] = large.add([a_span(attributes={"a": "x" * 9_000})], HERE, now=0)

    assert (by_number.why, len(by_number.spans), many.counts["late"]) == ("too_large", 4, 5)
    assert by_size.why == "too_large"


def test_a_trace_cannot_hold_a_partition_back_over_more_than_so_many_offsets() -> None:
    traces = OpenTraces(ClosingLimits(hold=100))
    traces.add([a_span(0)], RecordRef(0, 7), now=0)
    traces.add([a_span(1)], RecordRef(1, 7), now=0)

    none_yet = traces.add([a_span(2)], RecordRef(0, 107), now=0)
    [closed] = traces.add([a_span(2)], RecordRef(0, 108), now=0)

    assert none_yet == []
    assert (closed.trace_id, closed.why) == (trace_id(0), "held_back")
    assert traces.holds(RecordRef(0, 7)), "until its row is written"
    assert traces.written(closed.trace_id) == [RecordRef(0, 7)]
    assert not traces.holds(RecordRef(0, 7))
    assert traces.holds(RecordRef(0, 107))
