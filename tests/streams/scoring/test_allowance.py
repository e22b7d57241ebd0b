from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.score import Usage
from streams.scoring.allowance import DAY, Allowance, allowances

MIDNIGHT = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
DOLLAR = Usage(attempts=1, cost_usd=1.0)


def of_a_day(amount: float = 1440.0, *, began: datetime = MIDNIGHT) -> Allowance:
    """Return a limit of so many dollars a day: by default one a minute."""
    return Allowance("cost_per_day", amount, DAY, lambda usage: usage.cost_usd or 0.0, began)


def test_what_a_verdict_costs_is_not_known_before_the_first() -> None:
    allowance = of_a_day()

    assert allowance.turn(MIDNIGHT + MINUTE, 1.0) is None

    allowance.spend(DOLLAR)
    assert allowance.turn(MIDNIGHT + 2 * MINUTE, 1.0) == pytest.approx(1.0, rel=0.01)


def test_verdicts_that_cost_nothing_are_not_limited() -> None:
    allowance = of_a_day()

    allowance.spend(Usage())

    assert allowance.turn(MIDNIGHT + MINUTE, 1.0) == float("inf")


def test_a_process_has_its_share_of_the_limit() -> None:
    allowance = of_a_day()
    allowance.spend(DOLLAR)

    assert allowance.turn(MIDNIGHT + 4 * MINUTE, 0.25) == pytest.approx(0.25, rel=0.01)


def test_what_was_left_in_the_morning_is_spread_over_the_rest_of_the_day() -> None:
    allowance = of_a_day()

    for _ in range(360):  # half of what twelve hours allow
        allowance.spend(DOLLAR)

    assert allowance.turn(MIDNIGHT + timedelta(hours=12), 1.0) == pytest.approx(1.5)


def test_what_was_there_before_a_start_is_taken_to_be_spent_evenly() -> None:
    noon = MIDNIGHT + timedelta(hours=12)
    allowance = of_a_day(began=noon)

    assert allowance.used == 0.5
    allowance.spend(DOLLAR)
    assert allowance.turn(noon + MINUTE, 1.0) == pytest.approx(1.0, rel=0.01)


def test_a_new_day_begins_with_nothing_used() -> None:
    allowance = of_a_day()
    for _ in range(1500):
        allowance.spend(DOLLAR)
    allowance.turn(MIDNIGHT + timedelta(hours=23), 1.0)
    assert allowance.used > 1

    assert allowance.turn(MIDNIGHT + DAY, 1.0) == pytest.approx(1.0)
    assert allowance.used == 0


@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 200)), min_size=1, max_size=20),
    st.sampled_from([0.125, 0.5, 1.0]),
)
def test_something_is_always_affordable_and_never_more_than_twice_the_even_pace(
    minutes: list[tuple[int, int]], share: float
) -> None:
    allowance, now = of_a_day(), MIDNIGHT
    allowance.spend(DOLLAR)

    for spent, passed in minutes:
        now += passed * MINUTE
        for _ in range(spent):
            allowance.spend(DOLLAR)
        affordable = allowance.turn(now, share)

        assert affordable is not None
        assert 0.1 * share <= affordable * 1.0000001
        assert affordable <= 2.0000001 * share


def test_somebody_hears_of_it_at_four_fifths() -> None:
    allowance = of_a_day()
    heard = []

    for hour in range(1, 25):
        for _ in range(60):
            allowance.spend(DOLLAR)
        allowance.turn(MIDNIGHT + timedelta(hours=hour, seconds=-1), 1.0)
        heard.append(allowance.nearly_used)

    assert heard == [False] * 19 + [True] * 5  # 0.8 of the day is 19:12


def test_a_start_in_the_evening_alone_is_no_reason_to_warn() -> None:
    evening = MIDNIGHT + timedelta(hours=20)
    thrifty, spending = of_a_day(began=evening), of_a_day(began=evening)

    for allowance, dollars in ((thrifty, 6), (spending, 60)):
        for _ in range(dollars):
            allowance.spend(DOLLAR)
        allowance.turn(evening + timedelta(hours=1), 1.0)

    assert (thrifty.nearly_used, spending.nearly_used) == (False, True)


def test_the_first_moments_after_a_start_bear_out_nothing_unless_they_use_up_what_was_left() -> (
    None
):
    evening = MIDNIGHT + timedelta(hours=20)
    beginning, reckless = of_a_day(began=evening), of_a_day(began=evening)

    for allowance, dollars in ((beginning, 9), (reckless, 200)):
        for _ in range(dollars):
            allowance.spend(DOLLAR)
        allowance.turn(evening + timedelta(minutes=1), 1.0)

    assert (beginning.nearly_used, reckless.nearly_used) == (False, True)


def test_calls_are_counted_as_requests_and_only_the_limits_that_are_set() -> None:
    [calls] = allowances(60, None, began=MIDNIGHT)
    [cost] = allowances(None, 5.0, began=MIDNIGHT)

    assert calls.counts(Usage(calls=1, attempts=3)) == 3
    assert cost.counts(Usage(calls=1, attempts=3, cost_usd=0.5)) == 0.5
    assert allowances(None, None, began=MIDNIGHT) == []
