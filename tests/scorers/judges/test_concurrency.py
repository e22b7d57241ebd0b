from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.judges.concurrency import Concurrency


def noted(most: int, *refused: bool) -> Concurrency:
    concurrency = Concurrency(most)
    for one in refused:
        concurrency.note(refused=one)
    return concurrency


def test_five_in_a_hundred_refusals_change_nothing() -> None:
    assert noted(32, *([True] + [False] * 19) * 10).allowed == 32


def test_one_more_halves_it() -> None:
    assert noted(32, *[True] * 11).allowed == 16


def test_it_rises_by_one_after_as_many_good_calls() -> None:
    fallen = [True] * 11

    assert noted(32, *fallen, *[False] * 15).allowed == 16
    assert noted(32, *fallen, *[False] * 16).allowed == 17
    assert noted(32, *fallen, *[False] * (16 + 17)).allowed == 18


def test_it_comes_all_the_way_back() -> None:
    assert noted(8, *[True] * 11, *[False] * 100).allowed == 8


@given(st.integers(1, 64), st.lists(st.booleans(), max_size=400))
def test_it_stays_between_one_and_the_most(most: int, calls: list[bool]) -> None:
    concurrency = Concurrency(most)
    for refused in calls:
        concurrency.note(refused=refused)
        assert 1 <= concurrency.allowed <= most


@pytest.mark.parametrize("seed", range(5))
def test_two_in_a_hundred_refusals_leave_nearly_all_of_the_rate(seed: int) -> None:
    dice, concurrency, allowed = Random(seed), Concurrency(32), 0
    for _ in range(10_000):
        concurrency.note(refused=dice.random() < 0.02)
        allowed += concurrency.allowed

    assert allowed / 10_000 > 0.9 * 32
