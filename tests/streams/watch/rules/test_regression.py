from streams.watch.rules.regression import RegressionRule, regression
from streams.watch.rules.result import RuleResult, Signal
from tests.streams.watch.filled import DAY, HOUR, SERIES, Filled

RULE = RegressionRule(name="worse", kind="regression", scorer=SERIES.scorer)
WEEK = 7 * DAY


def verdict(
    filled: Filled, minute: int, *, alerted: tuple[tuple[int, int], ...] = ()
) -> RuleResult:
    return regression(RULE, filled.history(minute, alerted=alerted), alpha=RULE.alpha)


def test_a_rate_far_above_that_of_the_day_before_is_raised() -> None:
    filled = Filled().fill(0, DAY, rated=20, bad=1).fill(DAY, DAY + HOUR, rated=20, bad=4)

    said = verdict(filled, DAY + HOUR)

    assert said.signal is Signal.RAISED
    assert said.usual == 0.05
    assert said.bound == 0.05 + 0.03
    assert said.said == "usually 5.0 %"


def test_a_rise_that_is_sure_and_small_is_not_raised() -> None:
    filled = Filled().fill(0, DAY, rated=500, bad=50).fill(DAY, DAY + HOUR, rated=500, bad=65)

    assert verdict(filled, DAY + HOUR).signal is Signal.UNSURE


def test_a_rise_that_is_large_and_not_sure_is_not_raised() -> None:
    filled = Filled().fill(0, DAY + HOUR, rated=1, bad=0).fill(0, DAY, rated=1, bad=1, every=20)
    filled.fill(DAY, DAY + HOUR, rated=1, bad=1, every=8)

    assert verdict(filled, DAY + HOUR).signal is Signal.UNSURE


def test_the_same_rate_is_calm() -> None:
    filled = Filled().fill(0, DAY + HOUR, rated=20, bad=1)

    assert verdict(filled, DAY + HOUR).signal is Signal.CALM


def test_without_anything_before_nothing_is_known() -> None:
    filled = Filled().fill(0, HOUR, rated=20, bad=4)

    said = verdict(filled, HOUR)

    assert said.signal is Signal.UNKNOWN
    assert said.said == "with nothing to compare it with"


def test_the_same_hour_of_three_weeks_says_what_is_usual() -> None:
    now = 4 * WEEK + 9 * HOUR
    filled = Filled().fill(now - DAY, now, rated=20, bad=1).fill(now, now + HOUR, rated=20, bad=4)
    for week, bad in ((1, 4), (2, 5), (3, 3)):
        filled.fill(now - week * WEEK, now - week * WEEK + HOUR, rated=20, bad=bad)

    said = verdict(filled, now + HOUR)

    assert said.usual == 0.2
    assert said.signal is Signal.CALM


def test_a_week_in_which_an_alert_fired_is_not_usual() -> None:
    now = 4 * WEEK + 9 * HOUR
    filled = Filled().fill(now - DAY, now, rated=20, bad=1).fill(now, now + HOUR, rated=20, bad=4)
    for week in (1, 2, 3):
        filled.fill(now - week * WEEK, now - week * WEEK + HOUR, rated=20, bad=4)
    fired = (now - 2 * WEEK + 30, now - 2 * WEEK + 90)

    assert verdict(filled, now + HOUR, alerted=(fired,)).usual == 0.05


def test_hours_in_which_an_alert_fired_are_made_up_for_by_hours_before() -> None:
    filled = Filled().fill(0, DAY, rated=20, bad=1).fill(DAY, 2 * DAY, rated=20, bad=8)
    filled.fill(2 * DAY, 2 * DAY + HOUR, rated=20, bad=4)

    said = verdict(filled, 2 * DAY + HOUR, alerted=((DAY, 2 * DAY),))

    assert said.usual == 0.05
    assert said.signal is Signal.RAISED


def test_a_new_series_has_no_past() -> None:
    filled = Filled().fill(0, DAY, rated=20, bad=1)
    filled.fill(DAY, DAY + HOUR, rated=20, bad=4, series="s2")

    assert verdict(filled, DAY + HOUR).signal is Signal.UNKNOWN


def test_a_new_segment_is_held_against_all_answers() -> None:
    filled = Filled().fill(0, DAY + HOUR, rated=20, bad=1)
    filled.fill(DAY, DAY + HOUR, rated=10, bad=3, segment="prompt_version=v7")
    history = filled.history(DAY + HOUR, segment="prompt_version=v7")

    said = regression(RULE, history, alpha=RULE.alpha)

    assert (said.signal, said.usual) == (Signal.RAISED, 0.05)
    assert said.view.n == 600
