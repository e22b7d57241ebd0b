from datetime import timedelta

from streams.watch.rules.burn_rate import BurnPair, BurnRateRule, burn_rate, unreachable
from streams.watch.rules.result import Signal
from tests.streams.watch.filled import HOUR, SERIES, Filled

RULE = BurnRateRule(name="burn", kind="burn_rate", scorer=SERIES.scorer)


def test_both_windows_above_five_times_the_budget_are_raised() -> None:
    filled = Filled().fill(0, HOUR, rated=10, bad=4)

    verdict = burn_rate(RULE, filled.history(HOUR))

    assert verdict.signal is Signal.RAISED
    assert verdict.bound == 5 * (1 - 0.95)
    assert verdict.said == "8.0 times what 95 % good answers allow"


def test_what_is_over_in_the_short_window_is_calm() -> None:
    filled = Filled().fill(0, HOUR - 30, rated=10, bad=8).fill(HOUR - 30, HOUR, rated=10, bad=0)

    assert burn_rate(RULE, filled.history(HOUR)).signal is Signal.CALM


def test_a_short_window_with_few_rows_has_no_say() -> None:
    filled = Filled().fill(0, HOUR - 30, rated=10, bad=8).fill(HOUR - 30, HOUR, rated=3, bad=0)

    assert burn_rate(RULE, filled.history(HOUR)).signal is Signal.RAISED


def test_fewer_than_fifty_answers_say_nothing() -> None:
    filled = Filled().fill(0, HOUR, rated=1, bad=1, every=2)

    assert burn_rate(RULE, filled.history(HOUR)).signal is Signal.UNKNOWN


def test_the_second_pair_speaks_where_the_first_is_not_raised() -> None:
    filled = Filled().fill(0, 6 * HOUR, rated=10, bad=2)

    verdict = burn_rate(RULE, filled.history(6 * HOUR))

    assert verdict.signal is Signal.RAISED
    assert verdict.bound == 3 * (1 - 0.95)
    assert verdict.view.end - verdict.view.start == 6 * HOUR * 60_000


def test_a_burn_that_needs_more_bad_answers_than_there_can_be_is_named() -> None:
    workbook = BurnPair(long=timedelta(hours=1), short=timedelta(minutes=5), burn=14.4)
    pairs = (*RULE.pairs, workbook)

    assert list(unreachable(RULE.model_copy(update={"pairs": pairs, "slo": 0.90}))) == [2]
    assert list(unreachable(RULE.model_copy(update={"pairs": pairs, "slo": 0.95}))) == []
