import pytest

from streams.watch.history import History
from streams.watch.rules.kinds import by_segments
from streams.watch.rules.regression import RegressionRule
from streams.watch.rules.result import Signal, deviations
from streams.watch.rules.threshold import ThresholdRule
from tests.streams.watch.filled import HOUR, SERIES, Filled

RULE = ThresholdRule(
    name="bad", kind="threshold", scorer=SERIES.scorer, above=0.1, by="tenant", min_n=30
)


def signals(bad: list[int]) -> list[Signal]:
    """Return what is said of segments of which each has so many bad answers of 60."""
    names = [f"tenant={n}" for n in range(len(bad))]
    filled = Filled().fill(0, HOUR, rated=len(bad), bad=0)
    for name, number in zip(names, bad, strict=True):
        filled.fill(0, HOUR, rated=1, bad=0, segment=name)
        filled.fill(0, number, rated=1, bad=1, segment=name)

    def history(segment: str) -> History:
        return filled.history(HOUR, segment=segment)

    return [verdict.signal for verdict in by_segments(RULE, names, history).values()]


def test_one_segment_alone_needs_no_more_than_the_rule_asks_for() -> None:
    assert signals([11]) == [Signal.RAISED]


def test_among_many_the_same_segment_is_no_news() -> None:
    assert Signal.RAISED not in signals([11] + [5] * 9)


def test_among_many_a_segment_that_is_surely_bad_is() -> None:
    assert signals([20] + [5] * 9)[0] is Signal.RAISED


def test_where_many_are_bad_each_needs_less() -> None:
    assert signals([11] * 10) == [Signal.RAISED] * 10


def test_segments_with_too_few_answers_are_not_counted() -> None:
    names = ["tenant=a", *(f"tenant={n}" for n in range(9))]
    filled = Filled().fill(0, HOUR, rated=10, bad=0)
    filled.fill(0, HOUR, rated=1, bad=0, segment="tenant=a")
    filled.fill(0, 11, rated=1, bad=1, segment="tenant=a")
    for name in names[1:]:
        filled.fill(0, 5, rated=1, bad=0, segment=name)

    verdicts = by_segments(RULE, names, lambda one: filled.history(HOUR, segment=one))

    assert verdicts["tenant=a"].signal is Signal.RAISED
    assert verdicts["tenant=0"].signal is Signal.UNKNOWN


@pytest.mark.parametrize("by", ["service.name", "service_name", "cause"])
def test_a_segment_may_not_take_the_place_of_a_label_that_every_alert_has(by: str) -> None:
    with pytest.raises(ValueError, match="label of every alert"):
        ThresholdRule(name="bad", kind="threshold", scorer=SERIES.scorer, above=0.1, by=by)


def test_a_ratio_that_no_rate_reaches_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        RegressionRule(name="up", kind="regression", scorer=SERIES.scorer, ratio=float("inf"))


def test_a_rule_may_want_to_be_as_sure_as_can_be_written() -> None:
    assert deviations(0.05) == pytest.approx(1.644854)
    assert 9 < deviations(1e-20) < deviations(1e-300) < 40
