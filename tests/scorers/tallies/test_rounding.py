import pytest

from scorers.tallies.rounding import half_up


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.125, 0.13), (0.375, 0.38), (1.005, 1.01), (0.124, 0.12), (0, 0), (1, 1), (2 / 3, 0.67)],
)
def test_halves_are_rounded_up(value: float, rounded: float) -> None:
    assert half_up(value) == rounded
