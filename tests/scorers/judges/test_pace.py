from hypothesis import given
from hypothesis import strategies as st

from scorers.judges.pace import Pace


def test_calls_are_spread_evenly_over_the_minute() -> None:
    pace = Pace(per_minute=10)

    assert [pace.wait_seconds(now=100.0) for _ in range(3)] == [0.0, 6.0, 12.0]
    assert pace.wait_seconds(now=200.0) == 0.0


def test_without_a_limit_nobody_waits() -> None:
    pace = Pace(None)

    assert [pace.wait_seconds(now=1.0) for _ in range(3)] == [0.0, 0.0, 0.0]


def test_a_process_takes_its_share_of_what_the_group_may() -> None:
    pace = Pace(60, share=lambda: 0.25)

    assert [pace.wait_seconds(now=0.0) for _ in range(3)] == [0.0, 4.0, 8.0]


def test_what_was_guessed_too_low_is_taken_from_those_who_come_after() -> None:
    pace = Pace(600)

    pace.wait_seconds(0.0, amount=10)
    pace.correct(20)

    assert pace.wait_seconds(0.0) == 3.0


calls = st.lists(st.tuples(st.floats(0, 5), st.floats(0.1, 50)), min_size=1, max_size=60)


@given(calls, st.floats(1, 1000))
def test_no_minute_ever_holds_more_than_the_limit_and_one_call(
    calls: list[tuple[float, float]], per_minute: float
) -> None:
    pace, now, taken = Pace(per_minute), 0.0, list[tuple[float, float]]()
    for later, amount in calls:
        now += later
        taken.append((now + pace.wait_seconds(now, amount), amount))

    for start, _ in taken:
        minute = [amount for at, amount in taken if start <= at < start + 60]
        assert sum(minute[:-1]) <= per_minute * 1.000001
