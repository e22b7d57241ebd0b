from math import isclose
from random import Random

import pytest

from schemas.pane import Cell
from streams.watch.estimates.rates import Z95, bad_rate, mean_score, wilson


def cell(n: int, bad: int, *, mean: float = 0.0, square: float = 0.0) -> Cell:
    return Cell(n, n, bad, round(mean * n * 1e6), round(square * n * 1e12))


def test_equal_chances_give_the_plain_share_and_wilsons_limits() -> None:
    rate = bad_rate({"base": {0.05: cell(84, 18)}}, {"base": 1680})

    assert rate is not None
    assert rate.n == 84
    assert isclose(rate.n_eff, 84)
    assert isclose(rate.value, 18 / 84)
    assert (round(rate.lower, 4), round(rate.upper, 4)) == (0.1401, 0.3135)


def test_a_rare_stratum_judged_often_does_not_dominate() -> None:
    strata = {"down": {0.5: cell(500, 150)}, "base": {0.02: cell(180, 6)}}
    seen = {"down": 1_000, "base": 9_000}

    rate = bad_rate(strata, seen)

    assert rate is not None
    assert isclose(rate.value, 0.1 * 0.3 + 0.9 * 6 / 180)


def test_without_a_ledger_rows_weigh_one_over_their_chance() -> None:
    strata = {"down": {1.0: cell(100, 50)}, "base": {0.1: cell(90, 0)}}

    rate = bad_rate(strata, {})

    assert rate is not None
    assert isclose(rate.value, 50 / 1000)
    assert isclose(rate.n_eff, 1000**2 / (100 + 90 * 100))
    assert (rate.lower, rate.upper) == wilson(rate.value, rate.n_eff, z=Z95)


def test_a_ledger_that_misses_a_scored_stratum_is_no_ledger() -> None:
    strata = {"down": {1.0: cell(100, 50)}, "base": {0.1: cell(90, 0)}}

    assert bad_rate(strata, {"base": 900}) == bad_rate(strata, {})


def test_a_stratum_seen_and_never_scored_widens_the_limits_and_moves_no_point() -> None:
    strata = {"base": {0.1: cell(100, 20)}}

    known = bad_rate(strata, {"base": 1_000})
    partly = bad_rate(strata, {"base": 1_000, "down": 250})

    assert known is not None
    assert partly is not None
    assert isclose(partly.value, known.value)
    assert isclose(partly.upper, 0.2 + ((0.2 * 0.8) ** 2 + (0.8 * (known.upper - 0.2)) ** 2) ** 0.5)
    assert partly.lower < known.lower


def test_nothing_rated_has_no_rate_and_still_a_mean() -> None:
    strata = {"base": {1.0: Cell(n=3, rated=0, bad=0, millionths=3_000_000, squares=3 * 10**12)}}

    assert bad_rate(strata, {"base": 3}) is None
    mean = mean_score(strata, {"base": 3})
    assert mean is not None
    assert mean.value == 1.0
    assert mean.lower < 1.0


def test_the_mean_of_scores_that_hardly_vary_is_narrower_than_a_share() -> None:
    strata = {"base": {1.0: cell(100, 0, mean=0.5, square=0.26)}}

    mean = mean_score(strata, {"base": 100})

    assert mean is not None
    assert isclose(mean.value, 0.5)
    assert isclose(mean.upper - 0.5, Z95 * 0.1 / 99**0.5, rel_tol=1e-6)


def test_no_order_of_adding_changes_an_estimate() -> None:
    cells = {p: cell(n, n // 7) for p, n in ((0.1, 30), (0.3, 77), (0.7, 11), (0.013, 5))}
    backwards = dict(reversed(cells.items()))

    assert bad_rate({"base": cells}, {}) == bad_rate({"base": backwards}, {})


DESIGNS = {
    "plain": {"base": (1.0, 0.1, 0.08)},
    "strata": {"down": (0.1, 0.5, 0.3), "base": (0.9, 0.05, 0.03)},
    "thumbs-down": {"down": (0.05, 1.0, 0.4), "base": (0.95, 0.05, 0.05)},
}
"""Of each stratum its share of rows, its chance to be judged, and its share of bad answers."""


@pytest.mark.parametrize("design", DESIGNS)
def test_the_limits_hold_the_truth_about_as_often_as_they_say(design: str) -> None:
    random, rows, runs, held = Random(7), 4_000, 400, 0
    strata = DESIGNS[design]
    truth = sum(share * bad for share, _, bad in strata.values())

    for _ in range(runs):
        cells = {}
        for name, (share, chance, bad) in strata.items():
            n = round(rows * share * chance)
            cells[name] = {chance: cell(n, sum(random.random() < bad for _ in range(n)))}
        rate = bad_rate(cells, {name: round(rows * s[0]) for name, s in strata.items()})
        assert rate is not None
        held += rate.lower <= truth <= rate.upper

    assert 0.92 <= held / runs <= 0.98


def test_a_probability_too_small_to_be_squared_is_a_weight_like_others() -> None:
    rate = bad_rate({"base": {1e-320: cell(2, 1), 0.5: cell(100, 0)}}, {"base": 1_000})

    assert rate is not None
    assert isclose(rate.value, 0.5)
    assert isclose(rate.n_eff, 2)
