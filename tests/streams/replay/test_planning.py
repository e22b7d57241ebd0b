"""What a run reads of each partition, and what it refuses to."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.run import Stretch
from schemas.wire import to_milliseconds
from streams.replay.planning import Extent, Extents, Plan, ReplayRefusedError, plan
from tests.fakes import NOON

AT = to_milliseconds(NOON)
LATER = NOON + timedelta(days=1)


def everyone(number: int) -> bool:
    return True


def planned(
    *extents: Extent,
    from_: datetime | None = None,
    to: datetime | None = None,
    ours: Callable[[int], bool] = everyone,
    now: datetime = LATER,
) -> Plan:
    found = Extents("id", dict(enumerate(extents)))
    return plan("rag.traces", found, from_=from_, to=to, ours=ours, now=now)


def test_a_run_begins_at_the_first_row_that_is_not_older_and_ends_where_the_log_does() -> None:
    found = planned(Extent(0, 100, 40, AT - 9000), from_=NOON)

    assert found == Plan("id", 1, {0: Stretch(start=40, end=100)})


def test_without_a_first_time_a_run_begins_where_the_log_does() -> None:
    found = planned(Extent(30, 100, None, AT))

    assert found.stretches == {0: Stretch(start=30, end=100)}
    assert found.messages == ()


def test_a_partition_without_a_row_of_the_times_has_an_empty_stretch() -> None:
    found = planned(Extent(0, 9, None, AT - 1), Extent(0, 9, 2, AT - 1), from_=NOON)

    assert found.stretches == {0: Stretch(start=9, end=9), 1: Stretch(start=2, end=9)}
    assert not found.empty


def test_a_shard_has_its_own_partitions_and_knows_how_many_there_are() -> None:
    found = planned(*[Extent(0, 9, 0, AT)] * 5, ours=lambda number: number % 2 == 1)

    assert (set(found.stretches), found.of) == ({1, 3}, 5)


def test_a_shard_without_partitions_has_nothing_to_do_and_says_so() -> None:
    found = planned(Extent(0, 9, 0, AT), ours=lambda number: number == 7)

    assert (found.empty, found.stretches) == (True, {})
    assert found.messages == ("no partition of rag.traces falls to this shard: nothing to do",)


def test_rows_that_the_broker_stamped_later_end_a_run() -> None:
    found = planned(Extent(0, 100, 40, AT - 9000, beyond=70), from_=NOON, to=LATER)

    assert found.stretches == {0: Stretch(start=40, end=70)}


@pytest.mark.parametrize("oldest", [AT + 1, None])
def test_rows_that_retention_may_have_taken_are_told_with_what_to_do(oldest: int | None) -> None:
    begin, end = 30, 30 if oldest is None else 90
    found = planned(Extent(begin, end, None if oldest is None else 30, oldest), from_=NOON)

    assert found.stretches[0].gone is None
    told = found.messages[0]
    assert told.startswith("rag.traces/0: rows since 2026-")
    assert ("--from 2026-" in told) == (oldest is not None)


def test_a_log_that_never_lost_a_row_has_no_gap_though_it_began_later() -> None:
    found = planned(Extent(0, 90, 0, AT + 1), from_=NOON)

    assert (found.stretches[0].gone, found.messages) == (0, ())


def test_a_log_that_lost_only_older_rows_has_no_gap() -> None:
    found = planned(Extent(50, 90, 60, AT - 1), from_=NOON)

    assert (found.stretches[0].gone, found.messages) == (0, ())


def test_equal_times_hold_nothing_and_are_no_error() -> None:
    found = planned(Extent(10, 100, 40, AT + 1), from_=NOON, to=NOON)

    assert (found.empty, found.stretches) == (True, {0: Stretch(start=40, end=40)})
    assert len(found.messages) == 1


def test_a_range_without_rows_says_which() -> None:
    found = planned(Extent(0, 9, None, AT - 1), from_=NOON, to=LATER)

    assert found.empty
    (told,) = found.messages
    assert told.startswith("rag.traces has no row from 2026-")


@pytest.mark.parametrize(
    ("from_", "to", "said"),
    [
        (LATER, NOON, "is after --to"),
        (LATER + timedelta(seconds=1), None, "is in the future"),
    ],
)
def test_times_between_which_nothing_can_be_are_refused(
    from_: datetime, to: datetime | None, said: str
) -> None:
    with pytest.raises(ReplayRefusedError, match=said):
        planned(Extent(0, 9, 0, AT), from_=from_, to=to)


def test_a_topic_that_is_unknown_is_refused() -> None:
    with pytest.raises(ReplayRefusedError, match=r"there is no topic rag\.traces"):
        planned()


@given(
    times=st.lists(st.integers(-50, 50) | st.just(10_000_000), max_size=30),
    begin=st.integers(0, 5),
    shift=st.integers(-20, 20),
)
def test_no_row_of_the_times_lies_outside_whatever_the_order_of_times(
    times: list[int], begin: int, shift: int
) -> None:
    rows = {begin + n: AT + at for n, at in enumerate(times)}
    from_ = NOON + timedelta(milliseconds=shift)
    first = next((n for n, at in rows.items() if at >= AT + shift), None)
    extent = Extent(begin, begin + len(times), first, next(iter(rows.values()), None))

    (stretch,) = planned(extent, from_=from_).stretches.values()

    wanted = {n for n, at in rows.items() if at >= AT + shift}
    assert wanted <= set(range(stretch.start, stretch.end))
    assert begin <= stretch.start <= stretch.end == begin + len(times)
