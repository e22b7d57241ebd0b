"""The formulas of paired rows: against exact fractions, printed examples, and seeded draws."""

from fractions import Fraction
from math import comb, isclose
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.replay.paired_formulas import (
    Square,
    effective,
    kappa,
    mcnemar,
    rate_change,
    score_change,
    weighted_mean,
)

COUNTS = st.integers(0, 300)
SQUARES = st.builds(Square, COUNTS, COUNTS, COUNTS, COUNTS).filter(lambda one: one.rows > 0)
SCORES = st.sampled_from([0.0, 0.25, 1 / 3, 0.5, 1.0])


def exact(before: int, after: int) -> Fraction:
    """Return twice the smaller tail of a fair coin, by counting."""
    flips, fewer = before + after, min(before, after)
    tail = sum(comb(flips, heads) for heads in range(fewer + 1))
    return min(Fraction(1), Fraction(2 * tail, 2**flips))


@pytest.mark.parametrize(
    ("before", "after", "p"),
    [
        (0, 0, Fraction(1)),
        (1, 0, Fraction(1)),
        (0, 5, Fraction(1, 16)),
        (1, 7, Fraction(9, 128)),
        (2, 10, Fraction(79, 2048)),
        (10, 10, Fraction(1)),
        (6, 16, Fraction(13757, 2**18)),
    ],
)
def test_mcnemar_is_the_tail_of_a_fair_coin(before: int, after: int, p: Fraction) -> None:
    assert exact(before, after) == p
    assert mcnemar(before, after) == pytest.approx(float(p), rel=1e-12)


@given(COUNTS, COUNTS)
def test_mcnemar_is_exact_and_knows_no_first_side(before: int, after: int) -> None:
    p = mcnemar(before, after)

    assert isclose(p, exact(before, after), rel_tol=1e-10)
    assert p == mcnemar(after, before)


def test_mcnemar_of_a_million_flips_is_had_at_once() -> None:
    assert mcnemar(499_000, 501_000) == pytest.approx(0.0457, abs=0.0002)
    assert mcnemar(400_000, 600_000) == 0.0


@pytest.mark.parametrize(
    ("square", "lower", "upper"),
    [
        (Square(1, 7, 1, 12), -0.507, -0.026),  # Fagerland, Lydersen and Laake (2017), table 8.2
        (Square(14, 0, 5, 22), 0.011, 0.226),  # Altman and others (2000), table 6.2
    ],
)
def test_the_limits_of_a_difference_are_those_in_print(
    square: Square, lower: float, upper: float
) -> None:
    found = rate_change(square)

    assert found.lower == pytest.approx(lower, abs=0.0005)
    assert found.upper == pytest.approx(upper, abs=0.0005)


@given(SQUARES)
def test_a_difference_turns_round_with_its_sides(square: Square) -> None:
    found = rate_change(square)
    other = rate_change(Square(square.both, square.after, square.before, square.neither))

    assert -1 <= found.lower <= found.value <= found.upper <= 1
    assert other.value == pytest.approx(-found.value, abs=1e-12)
    assert (other.lower, other.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-12)


@pytest.mark.parametrize(
    "square", [Square(9, 0, 0, 0), Square(0, 0, 0, 9), Square(5, 0, 0, 4), Square(0, 0, 0, 1)]
)
def test_rows_that_all_agree_are_no_proof_that_others_would(square: Square) -> None:
    found = rate_change(square)

    assert found.value == 0
    assert found.lower < -0.05
    assert found.upper > 0.05


def test_a_side_that_is_all_bad_and_one_that_is_all_good_differ_by_one() -> None:
    assert rate_change(Square(before=20)).value == -1
    assert rate_change(Square(after=20)).upper == 1
    assert kappa(Square(after=20)) == 0


@pytest.mark.parametrize(
    ("chances", "n"),
    [((0.1, 0.02, 0.08, 0.8), 80), ((0.02, 0.01, 0.01, 0.96), 200), ((0.4, 0.2, 0.1, 0.3), 40)],
)
def test_the_limits_of_a_rates_difference_hold_the_truth(
    chances: tuple[float, ...], n: int
) -> None:
    random = Random(5)
    truth = chances[2] - chances[1]
    held = 0
    for _ in range(1000):
        drawn = random.choices(range(4), chances, k=n)
        found = rate_change(Square(*(drawn.count(cell) for cell in range(4))))
        held += found.lower <= truth <= found.upper

    assert held >= 930


def test_limits_from_weights_hold_the_truth_where_the_unweighted_difference_is_another() -> None:
    """One row in five is drawn always, and flips; the rest is drawn at a quarter, and does not."""
    random, held, naive = Random(7), 0, 0
    flips = {True: 0.25, False: 0.03}
    truth = 0.2 * flips[True] + 0.8 * flips[False]
    for _ in range(500):
        weights, changed = list[float](), list[bool]()
        for _ in range(400):
            often = random.random() < 0.2
            if often or random.random() < 0.25:
                weights.append(1 if often else 4)
                changed.append(random.random() < flips[often])
        n = effective(weights)
        rate = weighted_mean(changed, weights)
        found = rate_change(Square(after=rate * n, neither=(1 - rate) * n))
        held += found.lower <= truth <= found.upper
        plain = rate_change(Square(after=sum(changed), neither=len(changed) - sum(changed)))
        naive += plain.lower <= truth <= plain.upper

    assert held >= 0.93 * 500
    assert naive < 0.8 * 500


@given(st.lists(st.tuples(SCORES, SCORES, st.sampled_from([1.0, 4.0, 20.0])), min_size=1))
def test_a_difference_of_scores_turns_round_with_its_sides(
    rows: list[tuple[float, float, float]],
) -> None:
    differences, weights = [after - before for before, after, _ in rows], [w for *_, w in rows]

    found = score_change(differences, weights)
    other = score_change([-one for one in differences], weights)

    assert found is not None
    assert other is not None
    assert found.value == pytest.approx(weighted_mean(differences, weights), abs=1e-12)
    assert -1 <= found.lower <= found.value + 1e-12
    assert found.value - 1e-12 <= found.upper <= 1
    assert (other.lower, other.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-9)


def test_a_difference_of_scores_needs_rows_and_is_never_sure_of_few() -> None:
    assert score_change([], []) is None
    alike = score_change([0.0] * 20, [1.0] * 20)
    assert alike is not None
    assert alike.value == 0
    assert alike.upper == -alike.lower > 0.1


@pytest.mark.parametrize("n", [15, 60, 400])
def test_the_limits_of_a_scores_difference_hold_the_truth(n: int) -> None:
    random = Random(3)
    steps, chances = (-1.0, -1 / 3, 0.0, 1 / 3), (0.04, 0.1, 0.76, 0.1)
    truth = sum(step * chance for step, chance in zip(steps, chances, strict=True))
    held = 0
    for _ in range(600):
        found = score_change(random.choices(steps, chances, k=n), [1.0] * n)
        assert found is not None
        held += found.lower <= truth <= found.upper

    assert held >= 0.93 * 600


def test_of_many_moved_rows_limits_are_those_of_the_plain_differences() -> None:
    random = Random(9)
    rows = [random.uniform(-1, 1) for _ in range(500)]
    mean = sum(rows) / 500
    half = 1.959964 * (sum((one - mean) ** 2 for one in rows) / 500 / 499) ** 0.5

    found = score_change(rows, [1.0] * 500)

    assert found == pytest.approx((mean, mean - half, mean + half), rel=1e-9)


def test_kappa_is_agreement_beyond_chance() -> None:
    assert kappa(Square(20, 5, 10, 15)) == pytest.approx(0.4)
    assert kappa(Square(10, 0, 0, 10)) == 1
    assert kappa(Square(0, 10, 10, 0)) == -1
    assert kappa(Square(10, 0, 0, 0)) is None
    assert kappa(Square()) is None


def test_equal_weights_are_worth_their_number_and_one_heavy_row_hardly_more_than_one() -> None:
    assert effective([]) == 0
    assert effective([5e-324] * 8) == 8
    assert effective([1e300] + [1.0] * 9) == pytest.approx(1)
