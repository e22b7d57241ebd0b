"""What becomes of the partitions that are held when the group hands them out anew."""

from streams.kafka.damage import STEPS
from streams.kafka.held import Held, Holdings
from streams.ports import Record
from streams.tracker import Tracker


def holding(*numbers: int) -> Holdings:
    holdings = Holdings()
    holdings.assign(numbers, 1)
    for number in numbers:
        holdings.take(number, Held(Tracker(0, 1), "topic-id", since=0, reads=True, commits=True))
    return holdings


def a_row(number: int) -> Record:
    return Record("rag.traces", number, 0, None, b"{}", 0, epoch=1)


def test_rows_in_flight_go_on_though_a_generation_passed_that_we_never_heard_of() -> None:
    """F09: the coordinator died between two answers. Whether somebody read, the commit tells."""
    holdings = holding(0)
    holdings.open(a_row(0), now=0)

    holdings.still()
    holdings.suspend()
    holdings.assign([0], 3)

    assert holdings.holds(a_row(0))
    assert holdings.readable() == []


def test_rows_of_a_partition_that_went_to_somebody_else_are_let_go() -> None:
    holdings = holding(0, 1)
    holdings.open(a_row(1), now=0)

    holdings.still()
    holdings.suspend()
    holdings.assign([0], 2)

    assert not holdings.holds(a_row(1))
    assert holdings.bytes_open == 0


def test_a_commit_bears_an_earlier_time_until_what_was_published_before_it_is_committed() -> None:
    tracker = Tracker(0, 1)
    held = Held(tracker, "topic-id", since=1_000, published={0: frozenset({"e"})})
    tracker.hand_out(1)
    tracker.passed(1)

    assert held.committed_at(5_000) == 1_000  # a kill now has row 0 tallied again

    tracker.seal(2)
    assert held.committed_at(6_000) == 6_000


def test_a_partition_without_rows_is_soon_not_waited_for_though_something_is_damaged() -> None:
    """F42: each wait makes all others wait, and the damage is where rows are."""
    idle, busy = (Held(Tracker(0, 1), "topic-id", since=0, steps=STEPS) for _ in range(2))

    for _ in range(20):
        idle.stepped(0)
        busy.stepped(1)

    assert (idle.steps, busy.steps) == (0, STEPS - 20)


def test_a_bounded_reading_ends_where_a_partition_stands() -> None:
    holdings = holding(0, 1)
    for held in holdings.held.values():
        held.upto = 5
    holdings.held[0].tracker.hand_out(4)

    assert not holdings.ended

    holdings.held[1].stopped = "rejections_flood"

    assert holdings.ended


def test_rows_that_retention_took_behind_a_bounded_reading_are_no_gap_of_it() -> None:
    held = Held(Tracker(10, 1), "topic-id", since=0, upto=30)

    held.pass_gap(25)
    held.pass_gap(90)

    assert (held.gone, held.ended) == (20, True)
