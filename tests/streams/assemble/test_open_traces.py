"""Spans become traces, each once, whatever order they come in."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.assemble.open_traces import Closed, Limits, OpenTraces
from streams.assemble.places import RecordRef
from streams.assemble.span import Span
from tests.streams.assemble.spans import a_span, a_whole_trace, trace_id

HERE = RecordRef(0, 7)


def test_a_trace_is_closed_when_nothing_came_for_a_while_after_its_root() -> None:
    traces = OpenTraces(Limits(quiet_after_root=5_000))
    traces.add([a_span(number=1)], RecordRef(0, 1), now=1_000)
    traces.add([a_span(number=0, root=True)], RecordRef(0, 2), now=2_000)
    traces.add([a_span(number=2, start=9)], RecordRef(0, 3), now=4_000)

    too_early, [closed] = traces.due(8_999), traces.due(9_000)

    assert too_early == []
    assert [span.name for span in closed.spans] == ["span 0", "span 1", "span 2"]
    assert (closed.why, closed.complete, closed.first) == ("quiet", True, RecordRef(0, 1))


def test_a_trace_without_a_root_is_closed_when_it_has_waited_long_enough() -> None:
    traces = OpenTraces(Limits(max_wait=30_000))
    traces.add([a_span(number=1)], HERE, now=0)
    traces.add([a_span(number=2)], HERE, now=29_000)

    too_early, [closed] = traces.due(29_999), traces.due(30_000)

    assert too_early == []
    assert (closed.why, closed.rooted, closed.complete) == ("waited", False, False)


def test_a_trace_that_never_is_quiet_is_closed_all_the_same() -> None:
    traces = OpenTraces(Limits(quiet_after_root=5_000, max_wait=30_000))
    for second in range(30):
        traces.add([a_span(number=second, root=second == 0)], HERE, now=1_000 * second)

    [closed] = traces.due(30_000)

    assert (closed.why, closed.complete) == ("waited", True)


def test_of_a_span_that_comes_twice_the_longer_one_is_kept_whichever_comes_first() -> None:
    short, long = a_span(number=1, end=3), a_span(number=1, end=8)

    ends = []
    for order in ([short, long], [long, short]):
        traces = OpenTraces()
        traces.add(order, HERE, now=0)
        [closed] = traces.end()
        ends.append([span.end_ns for span in closed.spans])

    assert ends == [[long.end_ns], [long.end_ns]]
    assert traces.counts == {"taken": 1, "duplicate": 1}


def test_what_comes_after_a_trace_was_closed_is_late_and_holds_nothing() -> None:
    traces = OpenTraces()
    traces.add([a_span(root=True)], RecordRef(0, 1), now=0)
    [closed] = traces.due(5_000)
    traces.written(closed.trace_id)

    traces.add([a_span(number=4)], RecordRef(0, 2), now=6_000)

    assert traces.counts["late"] == 1
    assert (len(traces), traces.lowest(0)) == (0, None)


def test_a_span_that_comes_when_its_trace_is_due_is_late() -> None:
    traces = OpenTraces(Limits(quiet_after_root=5_000))
    traces.add([a_span(root=True)], RecordRef(0, 1), now=0)

    [closed] = traces.add([a_span(number=4)], RecordRef(0, 2), now=5_000)

    assert (len(closed.spans), traces.counts["late"]) == (1, 1)


def test_a_trace_that_an_earlier_life_decided_is_late_from_its_first_span_on() -> None:
    traces = OpenTraces()
    traces.decide([trace_id(0)])

    traces.add([a_span(0), a_span(1)], HERE, now=0)

    assert [closed.trace_id for closed in traces.end()] == [trace_id(1)]


def test_only_so_many_decided_traces_are_remembered() -> None:
    traces = OpenTraces(Limits(max_traces=2))
    traces.decide(trace_id(number) for number in range(25))

    traces.add([a_span(number) for number in (0, 4, 5, 24)], HERE, now=0)

    assert traces.counts["late"] == 2


def test_the_oldest_is_closed_where_there_is_no_room_for_another() -> None:
    traces = OpenTraces(Limits(max_traces=2))

    closed = [c for n in range(3) for c in traces.add([a_span(n)], RecordRef(0, n), now=n)]

    assert [(c.trace_id, c.why, c.complete) for c in closed] == [(trace_id(0), "crowded", False)]


def test_the_oldest_are_closed_until_the_rest_fits_into_memory() -> None:
    traces = OpenTraces(Limits(max_bytes=10_000))
    text = {"output.value": "x" * 3_000}

    closed = []
    for number in range(6):
        closed += traces.add([a_span(number, attributes=text)], RecordRef(0, number), now=number)
        assert traces.bytes <= 10_000

    assert [c.trace_id for c in closed] == [trace_id(0), trace_id(1), trace_id(2), trace_id(3)]


def test_a_single_record_larger_than_the_memory_cannot_stop_the_flow() -> None:
    traces = OpenTraces(Limits(max_bytes=1_000))

    [closed] = traces.add([a_span(attributes={"input.value": "x" * 9_000})], HERE, now=0)

    assert (closed.why, traces.bytes, len(traces)) == ("crowded", 0, 0)


def test_a_trace_of_too_many_spans_or_bytes_is_cut_short() -> None:
    many = OpenTraces(Limits(max_spans=3))
    large = OpenTraces(Limits(max_trace_bytes=2_000))

    [by_number] = many.add([a_span(number=n) for n in range(9)], HERE, now=0)
    [by_size] = large.add([a_span(attributes={"a": "x" * 9_000})], HERE, now=0)

    assert (by_number.why, len(by_number.spans), many.counts["late"]) == ("too_large", 4, 5)
    assert by_size.why == "too_large"


def test_a_trace_cannot_hold_a_partition_back_over_more_than_so_many_offsets() -> None:
    traces = OpenTraces(Limits(hold=100))
    traces.add([a_span(0)], RecordRef(0, 7), now=0)
    traces.add([a_span(1)], RecordRef(1, 7), now=0)

    none_yet = traces.add([a_span(2)], RecordRef(0, 107), now=0)
    [closed] = traces.add([a_span(2)], RecordRef(0, 108), now=0)

    assert none_yet == []
    assert (closed.trace_id, closed.why) == (trace_id(0), "held_back")
    assert traces.lowest(0) == 7, "until its row is written"
    assert traces.written(closed.trace_id) == [RecordRef(0, 7)]
    assert traces.lowest(0) == 107


def test_a_record_is_free_once_every_trace_in_it_is_written() -> None:
    traces = OpenTraces()
    traces.add([a_span(0, root=True), a_span(1)], RecordRef(0, 7), now=0)
    [rooted] = traces.due(5_000)
    [other] = traces.due(30_000)

    still_needed, free = traces.written(rooted.trace_id), traces.written(other.trace_id)

    assert (still_needed, free) == ([], [RecordRef(0, 7)])


def test_traces_of_a_lost_partition_are_dropped_and_not_written() -> None:
    traces = OpenTraces()
    traces.add([a_span(0), a_span(1)], RecordRef(0, 1), now=0)
    traces.add([a_span(0, 1)], RecordRef(1, 4), now=0)
    traces.add([a_span(2)], RecordRef(1, 5), now=0)

    free = traces.lose(0)

    assert free == [RecordRef(1, 4)]
    assert [c.trace_id for c in traces.end()] == [trace_id(2)]
    assert traces.counts["dropped"] == 3


def test_a_closed_trace_that_is_lost_before_it_was_written_is_taken_again() -> None:
    traces = OpenTraces()
    traces.add([a_span(0, root=True)], RecordRef(0, 1, epoch=1), now=0)
    [closed] = traces.due(5_000)

    traces.lose(0)
    traces.add([a_span(0, root=True)], RecordRef(0, 1, epoch=2), now=6_000)

    assert not traces.unwritten(closed.trace_id)
    assert [again.spans for again in traces.end()] == [closed.spans]


def test_a_dropped_trace_is_taken_again_when_its_partition_comes_back() -> None:
    traces = OpenTraces()
    traces.add([a_span(0)], RecordRef(0, 1, epoch=1), now=0)
    traces.lose(0)

    traces.add([a_span(0)], RecordRef(0, 1, epoch=2), now=9)

    [closed] = traces.end()
    assert traces.written(closed.trace_id) == [RecordRef(0, 1, epoch=2)]


def test_time_that_is_handed_in_may_run_backwards_and_closes_nothing_early() -> None:
    traces = OpenTraces(Limits(quiet_after_root=5_000))
    traces.add([a_span(0, root=True)], RecordRef(0, 1), now=10_000)
    traces.add([a_span(0, 1)], RecordRef(0, 2), now=3_000)

    assert traces.due(14_999) == []
    assert len(traces.due(15_000)) == 1


def batches(rng: random.Random, spans: Sequence[Span]) -> Iterator[tuple[RecordRef, list[Span]]]:
    """Yield the spans in shuffled records of several partitions, some of them twice."""
    some = [*spans, *rng.sample(spans, len(spans) // 3)]
    rng.shuffle(some)
    ends = Counter[int]()
    while some:
        size, partition = rng.randint(1, 6), rng.randrange(3)
        yield (
            RecordRef(partition, ends[partition]),
            [some.pop() for _ in range(min(size, len(some)))],
        )
        ends[partition] += rng.randint(1, 3)


def test_shuffled_500_ways_with_duplicates_over_records_and_partitions_it_is_the_same_once() -> (
    None
):
    sizes = [1, 4, 9, 17]
    wanted = {trace_id(n): tuple(a_whole_trace(n, size)) for n, size in enumerate(sizes)}
    spans = [span for whole in wanted.values() for span in whole]

    for seed in range(500):
        traces, found = OpenTraces(), list[Closed]()
        for place, batch in batches(random.Random(seed), spans):
            found += traces.add(batch, place, now=place.offset * 50)
        found += traces.due(60_000)

        assert len(found) == len(sizes)
        assert {closed.trace_id: closed.spans for closed in found} == wanted
        assert all(closed.complete for closed in found)


@settings(max_examples=60)
@given(seed=st.integers(0, 1 << 32), tight=st.booleans(), data=st.data())
def test_nothing_at_or_above_an_open_traces_record_is_free_and_no_bound_is_passed(
    seed: int, tight: bool, data: st.DataObject
) -> None:
    """Whatever comes, in whatever order: each trace once, its records held until it is written."""
    rng = random.Random(seed)
    limits = Limits(max_traces=3, max_bytes=9_000, hold=5, max_spans=4) if tight else Limits()
    traces, unwritten = OpenTraces(limits), list[Closed]()
    spans = [span for n in range(8) for span in a_whole_trace(n, rng.randint(1, 7))]
    held: dict[RecordRef, set[str]] = {}
    seen: list[str] = []
    now = 0

    for place, batch in batches(rng, spans):
        now += data.draw(st.integers(0, 4_000))
        closed = traces.add(batch, place, now=now)
        decided = {*seen, *(one.trace_id for one in closed if one.why in ("quiet", "waited"))}
        held[place] = {span.trace_id for span in batch} - decided
        if rng.random() < 0.3:
            closed += traces.due(now)
        seen += [one.trace_id for one in closed]
        unwritten += closed
        assert len(traces) <= limits.max_traces and traces.bytes <= limits.max_bytes
        while unwritten and rng.random() < 0.8:
            written = unwritten.pop()
            free = traces.written(written.trace_id)
            for holders in held.values():
                holders.discard(written.trace_id)
            assert all(not held[one] for one in free)
        for partition in range(3):
            mine = [p.offset for p, who in held.items() if who and p.partition == partition]
            assert traces.lowest(partition) == min(mine, default=None)

    seen += [one.trace_id for one in traces.end()]
    assert len(seen) == len(set(seen)) == 8
