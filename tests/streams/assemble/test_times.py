"""Time passes for traces that wait only while what they wait for could come."""

from streams.assemble.times import ProcessingTime, RecordTime
from streams.ports import Progress, Record


def seen(partition: int, offset: int, at: int) -> Record:
    return Record("otlp_spans", partition, offset, None, b"", at)


def test_a_process_that_stood_still_is_no_later_than_if_it_had_not() -> None:
    time = ProcessingTime(longest=2_000)

    looks = [time.look(now, dict) for now in (10_000, 11_000, 95_000, 96_000)]

    assert looks == [10_000, 11_000, 13_000, 14_000]


def test_a_clock_that_is_set_back_does_not_take_time_back() -> None:
    time = ProcessingTime()

    assert [time.look(now, dict) for now in (10_000, 4_000, 5_000)] == [10_000, 10_000, 11_000]


def test_records_that_are_read_later_are_as_late_as_they_were() -> None:
    time, progress = RecordTime(), {0: Progress(0, 9, 0)}

    time.saw(seen(0, 0, 1_000))
    time.saw(seen(0, 1, 8_000))

    assert time.look(99_999_999, lambda: progress) == 8_000


def test_the_partition_that_has_got_least_far_says_how_late_it_is() -> None:
    time, progress = RecordTime(), {0: Progress(0, 9, 0), 1: Progress(0, 9, 0)}
    time.saw(seen(0, 0, 1_000))
    time.saw(seen(1, 0, 1_500))
    time.saw(seen(0, 1, 70_000))

    assert time.look(0, lambda: progress) == 1_500


def test_a_partition_of_which_nothing_was_seen_yet_holds_time_where_it_begins() -> None:
    time, progress = RecordTime(), {0: Progress(0, 9, 0), 1: Progress(0, 9, 0)}
    looks = []
    for record in (seen(0, 0, 1_000), seen(0, 1, 70_000), seen(1, 0, 500), seen(1, 1, 2_000)):
        time.saw(record)
        looks.append(time.look(0, lambda: progress))

    assert looks == [1_000, 1_000, 1_000, 2_000]


def test_a_partition_that_is_read_to_its_end_holds_nobody_up() -> None:
    time, progress = RecordTime(), {0: Progress(0, 9, 0), 1: Progress(0, 1, 0)}
    time.saw(seen(1, 0, 5_000))
    time.saw(seen(0, 0, 70_000))

    assert time.look(0, lambda: progress) == 70_000


def test_an_empty_partition_holds_nobody_up() -> None:
    time, progress = RecordTime(), {0: Progress(0, 9, 0), 1: Progress(4, 4, 0)}
    time.saw(seen(0, 0, 70_000))

    assert time.look(0, lambda: progress) == 70_000


def test_a_record_came_when_its_own_partition_was_at_it() -> None:
    time, progress = RecordTime(), {0: Progress(0, 9, 0), 1: Progress(0, 9, 0)}
    ahead, behind = seen(0, 0, 70_000), seen(1, 0, 1_500)
    for record in (behind, ahead):
        time.saw(record)
        time.look(0, lambda: progress)

    assert (time.of(ahead), time.of(behind)) == (70_000, 1_500)


def test_a_record_came_when_it_was_read() -> None:
    time = ProcessingTime()
    now = time.look(10_000, dict)

    assert time.of(seen(0, 0, 70_000)) == now
