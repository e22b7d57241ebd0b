from random import Random

import pytest

from streams.watch.estimates.runs import limit_for, run_length


@pytest.mark.parametrize(("gain", "limit", "chance"), [(10, 20, 0.05), (3, 12, 0.2), (1, 6, 0.5)])
def test_the_expected_run_is_that_of_many_runs(gain: int, limit: int, chance: float) -> None:
    random, runs, steps = Random(5), 2_000, 0

    for _ in range(runs):
        total = 0
        while total < limit:
            total = total + gain if random.random() < chance else max(0, total - 1)
            steps += 1

    assert steps / runs == pytest.approx(run_length(gain, limit, chance), rel=0.1)


def test_a_run_to_one_is_a_run_to_the_first_bad_answer() -> None:
    assert run_length(10, 1, 0.05) == pytest.approx(20)


def test_the_limit_is_the_least_that_runs_long_enough() -> None:
    limit = limit_for(10, 0.05, 43_000.0)

    assert run_length(10, limit, 0.05) >= 43_000 > run_length(10, limit - 1, 0.05)


def test_twenty_times_the_volume_raises_the_limit() -> None:
    assert limit_for(10, 0.05, 43_200.0) < limit_for(10, 0.05, 864_000.0)


def test_volumes_that_differ_by_little_have_one_limit() -> None:
    assert limit_for(10, 0.05, 43_100.0) == limit_for(10, 0.05, 43_900.0)
