import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.tallies.spearman import spearman

NUMBERS = st.lists(st.integers(-50, 50), min_size=2, max_size=12)
PAIRS = NUMBERS.flatmap(lambda xs: st.tuples(st.just(xs), st.permutations(xs)))


@given(NUMBERS)
def test_a_judge_that_orders_alike_correlates_fully_however_it_scales(xs: list[int]) -> None:
    rho = spearman(xs, [3 * x + 7 for x in xs])

    assert rho == (None if len(set(xs)) == 1 else pytest.approx(1))


@given(PAIRS)
def test_it_has_no_sides_and_turns_with_one(pair: tuple[list[int], list[int]]) -> None:
    xs, ys = pair
    rho = spearman(xs, ys)

    assert spearman(ys, xs) == (None if rho is None else pytest.approx(rho))
    assert spearman(xs, [-y for y in ys]) == (None if rho is None else pytest.approx(-rho))


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9486832980505138)


def test_a_constant_judge_has_no_correlation() -> None:
    assert spearman([4, 4, 4], [1, 2, 3]) is None
    assert spearman([], []) is None


def test_sides_of_different_length_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="equally long"):
        spearman([1, 2], [1])


@given(PAIRS, st.data())
def test_a_weight_stands_for_as_many_pairs(
    pair: tuple[list[int], list[int]], data: st.DataObject
) -> None:
    xs, ys = pair
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(xs), max_size=len(xs)))
    one_by_one = [(x, y) for x, y, w in zip(xs, ys, weights, strict=True) for _ in range(w)]

    rho = spearman(xs, ys, weights)

    repeated = spearman([x for x, _ in one_by_one], [y for _, y in one_by_one])
    assert rho == (None if repeated is None else pytest.approx(repeated, abs=1e-9))
