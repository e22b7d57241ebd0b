from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from schemas.mark import Mark, PartitionProgress
from schemas.wire import from_milliseconds, to_milliseconds
from streams.watch.marks import ALLOWANCE, Clock, believed
from tests.streams.watch.records import MIDNIGHT, a_mark, a_tick, at, busy, done_with, worked_off


def told(*marks: Mark, applied: int = 0) -> Clock:
    clock = Clock()
    for mark in marks:
        clock = clock.hearing(mark).applied(applied)
    return clock


def watermark(clock: Clock) -> float | None:
    """Return it in seconds after midnight."""
    if clock.watermark is None:
        return None
    return (from_milliseconds(clock.watermark) - MIDNIGHT) / timedelta(seconds=1)


def test_a_partition_worked_off_has_come_as_far_as_its_mark() -> None:
    assert watermark(told(a_mark(600))) == 540


def test_a_partition_with_open_rows_has_come_as_far_as_they_let_it() -> None:
    assert watermark(told(a_mark(600, {0: busy(400)}))) == 340


def test_the_slowest_partition_holds_time_back() -> None:
    assert watermark(told(a_mark(600, {0: worked_off(), 1: busy(300)}, of=2))) == 240


def test_time_stands_while_a_partition_was_never_marked() -> None:
    assert watermark(told(a_mark(600, {0: worked_off()}, of=2))) is None


def test_time_stands_while_a_partition_has_no_event_time() -> None:
    assert watermark(told(a_mark(600, {0: worked_off(), 1: busy(None)}, of=2))) is None


def test_the_watermark_never_falls() -> None:
    assert watermark(told(a_mark(600), a_mark(610, {0: busy(200)}))) == 540


def test_a_mark_of_an_old_epoch_is_not_believed() -> None:
    clock = told(a_mark(600, {0: busy(500, epoch=2)}), a_mark(700, {0: worked_off(epoch=1)}))

    assert watermark(clock) == 440


def test_a_mark_waits_for_the_scores_that_it_speaks_of() -> None:
    clock = told(a_mark(600, scores=3), applied=2)

    assert watermark(clock) is None
    assert clock.heard
    assert watermark(clock.applied(3)) == 540


def test_of_marks_that_wait_the_last_of_each_workers_minute_is_kept() -> None:
    clock = told(
        a_mark(601, scores=9),
        a_mark(606, scores=9),
        a_mark(606, scores=9, worker="w2"),
        a_mark(661, scores=9),
    )

    assert [(mark.worker, mark.at.second) for mark in clock.waiting] == [
        ("w1", 6),
        ("w2", 6),
        ("w1", 1),
    ]


def test_a_partition_whose_marks_stopped_no_longer_holds_time_back() -> None:
    clock = told(a_mark(600, {0: worked_off(), 1: busy(300)}, of=2))

    for second in range(605, 726, 5):
        clock = clock.hearing(a_mark(second, {0: worked_off()}, of=2)).applied(0)

    assert list(clock.stopped()) == [1]
    assert watermark(clock) == 725 - 60


def test_time_stands_while_all_have_stopped() -> None:
    clock = told(a_mark(600))

    later = clock.at(clock.now + 3_600_000).advanced()

    assert list(later.stopped()) == [0]
    assert watermark(later) == 540


def test_a_mark_read_again_changes_nothing() -> None:
    marks = [a_mark(600, {0: busy(500)}), a_mark(605, {0: worked_off()})]
    clock = told(*marks)

    again = clock.hearing(marks[0]).applied(0)

    assert again == clock


def test_a_worker_whose_clock_is_a_day_ahead_moves_no_watermark() -> None:
    day, written = 86_400, to_milliseconds(at(600))
    ahead = a_mark(600 + day, {0: worked_off()})

    mark = believed(ahead, written)

    assert isinstance(mark, Mark)
    assert watermark(told(a_mark(595), mark)) == 540
    assert list(told(a_mark(595), mark).stopped()) == []


def test_neither_does_a_row_that_says_it_was_answered_next_year() -> None:
    mark = believed(a_mark(600, {0: busy(400 * 86_400), 1: busy(550)}), to_milliseconds(at(600)))

    assert isinstance(mark, Mark)
    assert mark.partitions[0].event_time == at(600)
    assert mark.partitions[1].event_time == at(550)


def test_a_clock_some_minutes_ahead_and_any_clock_behind_are_believed() -> None:
    written = to_milliseconds(at(600))
    marks = [a_mark(600 + 299), a_mark(0), a_mark(600, {0: busy(600 + 299)})]

    assert [believed(mark, written) for mark in marks] == marks
    assert believed(a_tick(600 + 301), written) == a_tick(600)


NIGHT = 80_000
"""When runs are judged, in seconds: their rows are of the morning."""


def test_a_run_has_come_as_far_as_its_rows_and_not_as_its_marks() -> None:
    assert watermark(told(a_mark(NIGHT, {0: busy(400)}, run="r"))) == 340


def test_a_partition_that_a_run_is_done_with_holds_no_other_back() -> None:
    marks = {0: done_with(200), 1: busy(400)}

    assert watermark(told(a_mark(NIGHT, marks, of=2, run="r"))) == 340


def test_a_run_that_is_done_with_all_has_come_as_far_as_its_latest_row() -> None:
    marks = {0: done_with(900), 1: done_with(400), 2: done_with(None)}

    assert watermark(told(a_mark(NIGHT, marks, of=3, run="r"))) == 840


def test_time_stands_in_a_run_while_a_shard_has_not_begun() -> None:
    assert watermark(told(a_mark(NIGHT, {0: done_with(900)}, of=2, run="r"))) is None


def test_a_shard_that_ended_long_ago_counts_for_what_it_reached() -> None:
    clock = told(a_mark(NIGHT, {0: done_with(900)}, of=2, run="r"))

    later = clock.hearing(a_mark(NIGHT + 3600, {1: done_with(400)}, of=2, run="r")).applied(0)

    assert watermark(later) == 840


STANDINGS = st.tuples(st.none() | st.integers(100, 5000), st.booleans(), st.integers(1, 3))


@given(st.lists(st.dictionaries(st.integers(0, 2), STANDINGS, min_size=1), max_size=20))
def test_whatever_marks_a_run_writes_its_time_is_that_of_its_rows(
    said: list[dict[int, tuple[int | None, bool, int]]],
) -> None:
    """Partitions are taken up again by later lives (epochs), and are done with in any order."""
    clock, greatest, last = Clock(), 0, dict[int, PartitionProgress]()
    for n, standings in enumerate(said):
        told_now = {
            q: (done_with(time) if over else busy(time)).model_copy(update={"epoch": epoch})
            for q, (time, over, epoch) in standings.items()
        }
        before = clock
        clock = clock.hearing(a_mark(NIGHT + n, told_now, of=3, run="r")).applied(0)
        greatest = max([greatest, *(time for time, _, _ in standings.values() if time)])
        for q, one in told_now.items():
            if q not in last or one.epoch >= last[q].epoch:
                last[q] = one

        assert (clock.watermark or 0) >= (before.watermark or 0)
        reached = watermark(clock)
        assert reached is None or reached <= greatest - ALLOWANCE / 1000
        if clock.watermark != before.watermark:
            assert len(last) == 3
            waited_for = [one for one in last.values() if one.next < one.end]
            times = [one.event_time for one in waited_for]
            assert all(at(reached or 0) < time for time in times if time)
            assert None not in times
