import pytest

from streams.watch.rules.cusum import CusumRule, cusum
from streams.watch.rules.result import RuleResult, Signal
from tests.streams.watch.filled import DAY, HOUR, SERIES, Filled

RULE = CusumRule.model_validate(
    {"name": "drift", "kind": "cusum", "scorer": SERIES.scorer, "from": 0.05, "to": 0.15}
)


def limit(verdict: RuleResult) -> int:
    """Return the limit that a verdict names: evidence 12 of 83 for ..."""
    return int(verdict.said.split()[3])


def test_a_bad_answer_weighs_as_much_as_its_evidence() -> None:
    assert RULE.gain == 10  # log 3 against log(0.95 / 0.85)


def test_a_shift_is_raised_long_before_a_rate_over_an_hour_is_sure() -> None:
    filled = Filled().fill(0, DAY, rated=4, bad=0).fill(0, DAY, rated=4, bad=1, every=5)

    before = cusum(RULE, filled.history(DAY))
    after = cusum(RULE, filled.fill(DAY, DAY + 10, rated=5, bad=2).history(DAY + 10))

    assert before.signal is Signal.CALM
    assert after.signal is Signal.RAISED


def test_its_limit_grows_with_the_volume() -> None:
    limits = [
        limit(cusum(RULE, Filled().fill(0, DAY, rated=rated, bad=0).history(DAY)))
        for rated in (1, 5, 20)
    ]

    assert limits == [68, 83, 96]


def test_after_a_long_episode_it_comes_down_within_an_hour() -> None:
    filled = Filled().fill(0, 5 * HOUR, rated=5, bad=2)

    during = cusum(RULE, filled.history(5 * HOUR))
    after = cusum(RULE, filled.fill(5 * HOUR, 6 * HOUR, rated=5, bad=0).history(6 * HOUR))

    assert (during.signal, after.signal) == (Signal.RAISED, Signal.CALM)


def between(low: float, high: float) -> CusumRule:
    return CusumRule.model_validate(
        {"name": "drift", "kind": "cusum", "scorer": SERIES.scorer, "from": low, "to": high}
    )


def test_a_rise_by_half_is_enough_however_it_is_written_in_binary() -> None:
    assert between(0.2, 0.3).gain == 3
    assert between(0.4, 0.6).gain == 1


@pytest.mark.parametrize(("low", "high"), [(0.6, 0.95), (0.5, 0.8), (0.33, 0.5)])
def test_rates_at_which_the_sum_rises_by_itself_or_never_does_are_refused(
    low: float, high: float
) -> None:
    with pytest.raises(ValueError, match="cannot be seen to rise"):
        between(low, high)
