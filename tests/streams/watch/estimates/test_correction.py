"""The rate without the judge's errors: its value, its limits, and when there is none."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.watch.estimates.correction import Accuracy, corrected
from streams.watch.estimates.rates import Z95, Rate, wilson


def rate(bad: float, n: int) -> Rate:
    return Rate(bad, *wilson(bad, n, z=Z95), n, n)


def accuracy(sensitivity: float, specificity: float, *, n: int = 100) -> Accuracy:
    return Accuracy(rate(sensitivity, n), rate(specificity, n))


def test_false_alarms_are_taken_off_and_misses_added() -> None:
    found = corrected(rate(0.2, 400), accuracy(0.8, 0.9))

    assert found is not None
    assert found.value == pytest.approx((0.2 + 0.9 - 1) / (0.8 + 0.9 - 1))


def test_a_judge_without_errors_changes_nothing() -> None:
    sure = Rate(1.0, 1.0, 1.0, 100, 100)

    found = corrected(rate(0.2, 400), Accuracy(sure, sure))

    assert found is not None
    assert (found.value, found.lower, found.upper) == pytest.approx((0.2, *wilson(0.2, 400, z=Z95)))


def test_a_rate_below_the_false_alarms_is_none_bad() -> None:
    found = corrected(rate(0.02, 400), accuracy(0.8, 0.9))

    assert found is not None
    assert (found.value, found.lower) == (0.0, 0.0)


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.5, 0.5), (0.3, 0.6)])
def test_a_judge_that_guesses_cannot_tell(sensitivity: float, specificity: float) -> None:
    guessing = accuracy(sensitivity, specificity)

    assert not guessing.tells
    assert corrected(rate(0.4, 400), guessing) is None


def test_a_judge_that_hardly_tells_leaves_everything_open() -> None:
    found = corrected(rate(0.45, 400), accuracy(0.5, 0.55, n=40))

    assert found is not None
    assert (found.lower, found.upper) == (0.0, 1.0)


@given(st.floats(0, 1), st.floats(0.5, 1), st.floats(0.51, 1), st.integers(5, 500))
def test_limits_hold_the_value_and_stay_shares(
    bad: float, sensitivity: float, specificity: float, n: int
) -> None:
    found = corrected(rate(bad, n), accuracy(sensitivity, specificity))

    assert found is not None
    assert 0 <= found.lower <= found.value <= found.upper <= 1


@pytest.mark.parametrize("bad", [0.02, 0.1, 0.3])
@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.6, 0.9), (0.8, 0.7), (0.95, 0.97)])
@pytest.mark.parametrize(("rows", "labels"), [(150, 40), (1000, 150)])
def test_the_limits_hold_the_truth_as_often_as_they_say(
    bad: float, sensitivity: float, specificity: float, rows: int, labels: int
) -> None:
    """400 runs a cell: .93 less the two standard errors that chance may take."""
    random, runs, held = numpy.random.default_rng(7), 400, 0
    share = bad * sensitivity + (1 - bad) * (1 - specificity)

    for _ in range(runs):
        known = Accuracy(
            rate(float(random.binomial(labels, sensitivity)) / labels, labels),
            rate(float(random.binomial(labels, specificity)) / labels, labels),
        )
        found = corrected(rate(float(random.binomial(rows, share)) / rows, rows), known)
        held += found is None or found.lower <= bad <= found.upper

    assert held / runs >= 0.93 - 2 * (0.93 * 0.07 / runs) ** 0.5
