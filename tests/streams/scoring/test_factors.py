import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.scoring.factors import UNCHANGED, shared_out

DEMANDS = st.dictionaries(st.sampled_from("abcdef"), st.floats(1e-3, 1e6), max_size=6)
FACTORS = st.floats(1e-9, 1.0)


def test_a_quiet_assistant_keeps_its_rows_when_a_busy_one_takes_too_many() -> None:
    factors = shared_out({"busy": 900.0, "quiet": 100.0}, 0.5)

    assert factors.of("quiet") == 1.0
    assert factors.of("busy") == pytest.approx(400 / 900, rel=0.1)


def test_an_assistant_without_rows_so_far_is_lowered_as_all_together() -> None:
    assert shared_out({"busy": 900.0}, 0.25).of("new") == 0.25


def test_nothing_is_lowered_where_everything_can_be_had() -> None:
    assert shared_out({"a": 1.0, "b": 2.0}, 1.0) is UNCHANGED


def test_all_but_everything_is_not_taken_for_nothing() -> None:
    demand = {"a": 179445.0, "b": 1.9721089240629226, "c": 2.1031534100184217}
    demand |= {"d": 2.1031534100184217, "e": 869131.0254676667}

    factors = shared_out(demand, 0.9999999999999999)

    assert min(factors.of(name) for name in demand) > 0.9


@given(DEMANDS, FACTORS)
def test_no_factor_is_nought_and_none_is_above_one(demand: dict[str, float], part: float) -> None:
    factors = shared_out(demand, part)

    assert all(0 < factors.of(name) <= 1 for name in [*demand, "new"])


@given(DEMANDS, st.floats(1e-5, 1.0))
def test_assistants_together_get_what_can_be_had_and_hardly_less(
    demand: dict[str, float], part: float
) -> None:
    factors = shared_out(demand, part)

    got = sum(wants * factors.of(name) for name, wants in demand.items())
    most = part * sum(demand.values())
    assert most * 0.91 <= got <= most * 1.000001  # a step is an eighth of a halving


@given(DEMANDS, FACTORS)
def test_who_wants_more_gets_no_greater_part_of_it(demand: dict[str, float], part: float) -> None:
    factors = shared_out(demand, part)

    ordered = [factors.of(name) for name in sorted(demand, key=lambda name: demand[name])]
    assert ordered == sorted(ordered, reverse=True)
