"""Which rows a commit may speak of, and what it says of those behind it."""

from streams.ports import Progress, Record
from streams.tracker import SPAN, Assignment, Tracker


def a_tracker(*, base: int = 0, rows: int = 0, earlier: bytes = b"") -> Tracker:
    """Return a tracker that has handed out so many rows, all of them decided."""
    tracker = Tracker(base, earlier=earlier)
    if rows:
        tracker.hand_out(base + rows - 1)
        tracker.passed(base + rows - 1)
    return tracker


def bits(bitmap: bytes, *, of: int) -> set[int]:
    """Return the offsets that a bitmap calls finished."""
    return {of + n for n in range(8 * len(bitmap)) if bitmap[n // 8] >> n % 8 & 1}


def test_nothing_is_committed_before_a_block_is_sealed() -> None:
    tracker = a_tracker(rows=3)

    assert tracker.committable() == (0, b"\x07")

    tracker.seal(3)
    assert tracker.committable() == (3, b"")


def test_a_block_whose_row_is_open_is_not_committed() -> None:
    tracker = Tracker(0)
    tracker.hand_out(5)
    tracker.open(4)
    tracker.passed(5)
    tracker.seal(3)
    tracker.seal(6)

    offset, finished = tracker.committable()

    assert offset == 3
    assert bits(finished, of=3) == {3, 5}
    assert tracker.next == 4


def test_a_block_whose_last_row_alone_is_open_is_not_committed() -> None:
    tracker = Tracker(0)
    tracker.hand_out(2)
    tracker.open(2)
    tracker.passed(2)
    tracker.seal(3)

    assert tracker.committable() == (0, b"\x03")


def test_a_block_may_be_sealed_before_its_rows_are_decided() -> None:
    tracker = Tracker(0)
    tracker.hand_out(9)
    tracker.open(2)
    tracker.seal(10)

    assert tracker.committable() == (0, b"\x03")

    tracker.passed(9)
    tracker.done(2)
    assert tracker.committable() == (10, b"")


def test_rows_finish_in_any_order_and_twice() -> None:
    tracker = Tracker(0)
    tracker.hand_out(2)
    for row in range(3):
        tracker.open(row)
    tracker.passed(2)
    tracker.seal(3)

    tracker.done(2)
    tracker.done(0)
    tracker.done(2)
    assert tracker.committable() == (0, b"\x05")

    tracker.done(1)
    assert tracker.committable() == (3, b"")


def test_offsets_that_never_come_count_as_finished() -> None:
    tracker = Tracker(10)
    tracker.skip(12)
    tracker.hand_out(14)
    tracker.passed(14)
    tracker.skip(20)
    tracker.seal(15)

    assert tracker.committable() == (20, b"")
    assert tracker.next == 20


def test_what_an_earlier_life_finished_stays_known_until_it_is_decided_anew() -> None:
    tracker = Tracker(100, earlier=b"\x0d")  # rows 100, 102 and 103
    assert [tracker.finished(row) for row in range(99, 105)] == [
        False,
        True,
        False,
        True,
        True,
        False,
    ]

    assert bits(tracker.committable()[1], of=100) == {100, 102, 103}

    tracker.hand_out(101)
    tracker.open(101)
    assert bits(tracker.committable()[1], of=100) == {100, 102, 103}


def test_a_row_that_comes_again_as_unfinished_and_is_opened_is_not_called_finished() -> None:
    tracker = Tracker(0, earlier=b"\x03")
    tracker.hand_out(1)
    tracker.open(1)

    assert bits(tracker.committable()[1], of=0) == {0}


def test_room_ends_at_the_span_and_comes_back_with_the_commit() -> None:
    tracker = Tracker(0)
    tracker.hand_out(SPAN - 1)
    tracker.open(0)
    tracker.passed(SPAN - 1)
    tracker.seal(SPAN)
    assert tracker.room == 0

    tracker.done(0)

    assert tracker.room == SPAN


def test_a_gap_as_wide_as_the_span_leaves_a_short_map() -> None:
    tracker = Tracker(0)
    tracker.hand_out(0)
    tracker.open(0)
    tracker.skip(10 * SPAN)
    tracker.hand_out(10 * SPAN)
    tracker.passed(10 * SPAN)

    offset, finished = tracker.committable()

    assert offset == 0
    assert len(finished) == SPAN // 8


def test_a_partition_that_is_read_far_ahead_has_a_short_map_of_what_is_near() -> None:
    tracker = Tracker(0, span=8 * SPAN)
    tracker.hand_out(2 * SPAN - 1)
    for row in range(2 * SPAN):
        tracker.open(row)
    for row in (5, SPAN - 1, SPAN, SPAN + 5):
        tracker.done(row)

    offset, finished = tracker.committable()

    assert (offset, bits(finished, of=0)) == (0, {5, SPAN - 1})
    assert len(finished) == SPAN // 8


def a_record(offset: int = 0, *, epoch: int = 1) -> Record:
    return Record("rag.traces", 0, offset, None, b"", 0, epoch=epoch)


def test_words_from_an_earlier_epoch_are_not_heard() -> None:
    assignment = Assignment({0: Tracker(0, epoch=2)})
    assignment.trackers[0].hand_out(0)
    now, before = a_record(epoch=2), a_record(epoch=1)
    assignment.open(now)
    assignment.passed([now])
    assignment.seal(0, to=1, epoch=2)

    assignment.done(before)
    assert assignment.progress({0: 1}) == {0: Progress(0, 1, 2)}
    assert not assignment.holds(before)

    assignment.done(now)
    assert assignment.progress({0: 1}) == {0: Progress(1, 1, 2)}


def test_tallies_of_an_earlier_epoch_seal_nothing() -> None:
    assignment = Assignment({0: a_tracker(rows=4)})

    assignment.seal(0, to=4, epoch=9)

    assert assignment.trackers[0].committable()[0] == 0
