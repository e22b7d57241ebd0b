import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.ports import Progress
from streams.scoring.backlog import LEAST, Backlog


def turned(*standings: dict[int, Progress], answered: int = 10) -> list[float]:
    """Return the factor after each minute."""
    backlog = Backlog()
    return [backlog.turn(one, minutes=1, answered=answered) for one in standings]


def growing(minutes: int, *, done: int, came: int, epoch: int = 1) -> list[dict[int, Progress]]:
    return [{0: Progress(done * n, came * n, epoch)} for n in range(1, minutes + 1)]


def test_rows_that_wait_a_while_are_no_backlog() -> None:
    assert set(turned(*growing(6, done=50, came=100))) == {1.0}  # three minutes of rows, at last


def test_a_growing_backlog_lowers_the_probability_at_most_by_half_a_minute() -> None:
    factors = turned(*growing(9, done=10, came=100))

    assert factors[:3] == [1.0, 1.0, 1.0]
    assert factors[3:5] == [0.5, 0.25]
    assert factors[-1] >= LEAST


def test_a_backlog_that_shrinks_is_left_to_shrink() -> None:
    standings = [{0: Progress(200 * n, 10_000 + 100 * n, 1)} for n in range(10)]

    assert set(turned(*standings)) == {1.0}


def test_judges_that_are_down_say_nothing_of_what_they_can_do() -> None:
    assert set(turned(*growing(30, done=0, came=100), answered=0)) == {1.0}


def test_a_partition_that_came_or_went_is_no_growth() -> None:
    standings = [{n: Progress(0, 100_000, n)} for n in range(10)]
    again = [{0: Progress(0, 100_000 * n, n)} for n in range(10)]

    assert set(turned(*standings)) == set(turned(*again)) == {1.0}


def test_a_partition_that_stands_is_not_waited_for() -> None:
    standings = [
        {0: Progress(100 * n, 100 * n, 1), 1: Progress(0, 1000 * n, 1, stands=True)}
        for n in range(10)
    ]

    assert set(turned(*standings)) == {1.0}


def test_it_rises_again_once_the_backlog_is_gone() -> None:
    backlog = Backlog(factor=0.5)
    factors = [
        backlog.turn({0: Progress(100 * n, 100 * n + 10, 1)}, minutes=1, answered=9)
        for n in range(10)
    ]

    assert factors == sorted(factors)
    assert factors[0] == pytest.approx(0.55)
    assert factors[-1] == 1.0


@given(
    st.lists(
        st.tuples(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 9), st.booleans())
    )
)
def test_the_factor_is_never_nought_nor_above_one(
    minutes: list[tuple[int, int, int, bool]],
) -> None:
    backlog, read, end, epoch = Backlog(), 0, 0, 0

    for came, done, answered, anew in minutes:
        end, epoch = end + came, epoch + anew
        read = min(end, read + done)
        factor = backlog.turn({3: Progress(read, end, epoch)}, minutes=1, answered=answered)

        assert LEAST <= factor <= 1
