"""Spans become traces: when one is closed, what is late, and which records are free then."""

from streams.assemble.closing import ClosingLimits
from streams.assemble.open_traces import OpenTraces
from streams.assemble.places import RecordRef
from tests.streams.assemble.spans import a_span, trace_id

HERE = RecordRef(0, 7)


def test_a_trace_is_closed_when_nothing_came_for_a_while_after_its_root() -> None:
    traces = OpenTraces(ClosingLimits(quiet_after_root=5_000))
    traces.add([a_span(number=1)], RecordRef(0, 1), now=1_000)
    traces.add([a_span(number=0, root=True)], RecordRef(0, 2), now=2_000)
    traces.add([a_span(number=2, start=9)], RecordRef(0, 3), now=4_000)

    too_early, [closed] = traces.due(8_999), traces.due(9_000)

    assert too_early == []
    assert [span.name for span in closed.spans] == ["span 0", "span 1", "span 2"]
    assert (closed.why, closed.rooted, closed.first) == ("quiet", True, RecordRef(0, 1))


def test_a_trace_without_a_root_is_closed_when_it_has_waited_long_enough() -> None:
    traces = OpenTraces(ClosingLimits(max_wait=30_000))
    traces.add([a_span(number=1)], HERE, now=0)
    traces.add([a_span(number=2)], HERE, now=29_000)

    too_early, [closed] = traces.due(29_999), traces.due(30_000)

    assert too_early == []
    assert (closed.why, closed.rooted, closed.cut_short) == ("waited", False, False)


def test_a_trace_that_never_is_quiet_is_closed_all_the_same() -> None:
    traces = OpenTraces(ClosingLimits(quiet_after_root=5_000, max_wait=30_000))
    for second in range(30):
        traces.add([a_span(number=second, root=second == 0)], HERE, now=1_000 * second)

    [closed] = traces.due(30_000)

    assert (closed.why, closed.rooted, closed.cut_short) == ("waited", True, False)


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
    assert (len(traces), traces.holds(RecordRef(0, 2))) == (0, False)


def test_a_span_that_comes_when_its_trace_is_due_is_late() -> None:
    traces = OpenTraces(ClosingLimits(quiet_after_root=5_000))
    traces.add([a_span(root=True)], RecordRef(0, 1), now=0)

    [closed] = traces.add([a_span(number=4)], RecordRef(0, 2), now=5_000)

    assert (len(closed.spans), traces.counts["late"]) == (1, 1)


def test_a_trace_that_an_earlier_life_decided_is_late_from_its_first_span_on() -> None:
    traces = OpenTraces()
    traces.decide([trace_id(0)])

    traces.add([a_span(0), a_span(1)], HERE, now=0)

    assert [closed.trace_id for closed in traces.end()] == [trace_id(1)]


def test_only_so_many_decided_traces_are_remembered() -> None:
    traces = OpenTraces(ClosingLimits(max_traces=2))
    traces.decide(trace_id(number) for number in range(25))

    traces.add([a_span(number) for number in (0, 4, 5, 24)], HERE, now=0)

    assert traces.counts["late"] == 2


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
    traces = OpenTraces(ClosingLimits(quiet_after_root=5_000))
    traces.add([a_span(0, root=True)], RecordRef(0, 1), now=10_000)
    traces.add([a_span(0, 1)], RecordRef(0, 2), now=3_000)

    assert traces.due(14_999) == []
    assert len(traces.due(15_000)) == 1


def test_a_trace_that_came_ahead_of_the_time_of_all_waits_from_when_it_came() -> None:
    traces = OpenTraces(ClosingLimits(quiet_after_root=5_000, max_wait=30_000))
    traces.add([a_span(0)], RecordRef(0, 1), now=1_000, at=60_000)
    traces.add([a_span(1, root=True)], RecordRef(0, 2), now=1_000, at=61_000)
    traces.add([a_span(2)], RecordRef(1, 1), now=2_000)

    closed = [[c.trace_id for c in traces.due(now)] for now in (60_999, 65_999, 66_000, 90_000)]

    assert closed == [[trace_id(2)], [], [trace_id(1)], [trace_id(0)]]
