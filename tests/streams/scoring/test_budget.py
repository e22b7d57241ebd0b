from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.score import Usage
from streams.ports import Progress
from streams.scoring.allowance import allowances
from streams.scoring.budget import START, Budget
from streams.scoring.factors import UNCHANGED

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
MINUTE, BEAT = timedelta(minutes=1), timedelta(seconds=5)
CENT = Usage(calls=1, attempts=1, cost_usd=0.01)


def with_calls(calls_per_hour: float) -> Budget:
    return Budget(NOON, allowances(calls_per_hour, None, began=NOON))


def pass_a_minute(budget: Budget, now: datetime, *, rows: int = 100, verdicts: int = 10) -> None:
    budget.want("shop/production", rows)
    for _ in range(verdicts):
        budget.spend(CENT)
    budget.turn(now, share=1.0, progress={})


def test_without_a_budget_everything_is_drawn_from_the_start() -> None:
    budget = Budget(NOON)
    pass_a_minute(budget, NOON + MINUTE)

    assert budget.factors == UNCHANGED


def test_with_a_budget_little_is_drawn_until_the_price_is_known() -> None:
    budget = with_calls(600)
    assert budget.factors.of("shop/production") == START

    pass_a_minute(budget, NOON + BEAT, verdicts=0)
    assert budget.factor == START

    for minute in range(1, 20):
        pass_a_minute(budget, NOON + minute * MINUTE, rows=20)
    assert budget.factor == pytest.approx(0.5, rel=0.1)


def test_the_first_interval_is_one_beat_and_others_end_with_the_minutes_of_the_clock() -> None:
    budget = with_calls(600)
    assert not budget.due(NOON)
    assert budget.due(NOON + BEAT)

    pass_a_minute(budget, NOON + BEAT)

    assert not budget.due(NOON + MINUTE - BEAT)
    assert budget.due(NOON + MINUTE)


def test_the_tighter_of_two_budgets_counts() -> None:
    both = Budget(NOON, allowances(6_000, 0.01 * 24 * 60, began=NOON))

    for minute in range(1, 20):
        pass_a_minute(both, NOON + minute * MINUTE, rows=10, verdicts=1)

    assert both.factor == pytest.approx(0.1, rel=0.1)  # a cent a minute, and not 100 calls


def test_a_burst_is_answered_at_once_and_recovery_is_gradual() -> None:
    budget = with_calls(6_000)
    for minute in range(1, 15):
        pass_a_minute(budget, NOON + minute * MINUTE, rows=50)
    assert budget.factor == 1

    pass_a_minute(budget, NOON + 15 * MINUTE, rows=10_000)
    low = budget.factor
    assert low < 0.05

    rises = []
    for minute in range(16, 30):
        before = budget.factor
        pass_a_minute(budget, NOON + minute * MINUTE, rows=50)
        rises.append(budget.factor / before)
    assert max(rises) == pytest.approx(1.5)
    assert budget.factor == 1


MINUTES = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["a/p", "b/p", "c/p"]), st.floats(0, 1e5)),
        st.integers(0, 20),
        st.sampled_from([0.125, 0.5, 1.0]),
        st.integers(0, 500),
        st.integers(5, 7200),
    ),
    max_size=12,
)


@settings(max_examples=60)
@given(MINUTES)
def test_whatever_comes_every_factor_is_above_nought_and_at_most_one(
    minutes: list[tuple[dict[str, float], int, float, int, int]],
) -> None:
    budget, now, end = Budget(NOON, allowances(60, 0.5, began=NOON)), NOON, 0

    for rows, verdicts, share, came, seconds in minutes:
        now, end = now + timedelta(seconds=seconds), end + came
        for assistant, wanted in rows.items():
            budget.want(assistant, wanted)
        for _ in range(verdicts):
            budget.spend(CENT)
        factors = budget.turn(now, share=share, progress={0: Progress(end // 2, end, 1)})

        assert 0 < factors.least <= 1
        assert all(0 < factors.of(name) <= 1 for name in [*rows, "new/p"])
        assert 0 < budget.factor <= 1
