"""The corrected rate stands beside the raw one in windows, alerts and the log, or it says why."""

from datetime import timedelta

import pytest

from schemas.alert import Alert
from streams.console.reporting import figures
from streams.watch.alerts.words import BAD, FLAGGED
from streams.watch.estimates.correction import Accuracy, corrected
from streams.watch.estimates.rates import Rate
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.windows import WindowView
from tests.streams.watch.records import SCORER, SHOP, a_mark, a_score, at, bad, good

GOOD_JUDGE = Accuracy(Rate(0.8, 0.7, 0.88, 100, 100), Rate(0.95, 0.9, 0.98, 100, 100))
GUESSING = Accuracy(Rate(0.5, 0.4, 0.6, 100, 100), Rate(0.4, 0.3, 0.5, 100, 100))
RULE = ThresholdRule(
    name="bad-answers", kind="threshold", scorer=SCORER, above=0.1, window=timedelta(minutes=30)
)


def watched(accuracies: dict[str, Accuracy]) -> tuple[WindowView, Alert]:
    """Fold half an hour in which every third answer is bad; return its window and its alert."""
    watch = Watch(Options(rules=[RULE], accuracies=accuracies))
    said = []
    for row in range(90):
        event = a_score(row, 20 * row, bad() if row % 3 == 0 else good())
        said += watch.fold(event, offset=row)
    for minute in range(32, 36):
        said += watch.fold(a_mark(60 * minute, scores=90))
    view = watch.window(SHOP, SCORER, length=timedelta(minutes=30), at=at(1800))
    return view, next(one for one in said if isinstance(one, Alert) and one.status == "firing")


def test_both_rates_stand_in_the_window_the_alert_and_the_log() -> None:
    view, alert = watched({"s1": GOOD_JUDGE})

    raw, true = view.rate(), view.corrected()
    assert raw is not None
    assert true == corrected(raw, GOOD_JUDGE)
    assert true is not None
    assert alert.value.rate is not None
    assert alert.value.corrected is not None
    assert alert.value.called == BAD
    assert "failing" in alert.annotations["summary"]
    assert "corrected for its judge's errors" in alert.annotations["summary"]
    said = figures(view)
    assert said["called"] == BAD
    assert (said["rate"], said["corrected"]) == (round(raw.value, 4), round(true.value, 4))
    assert said["corrected_lower"] == pytest.approx(true.lower, abs=1e-4)


def test_without_labels_of_its_series_a_rules_judges_rate_is_a_flagged_rate() -> None:
    view, alert = watched({"another": GOOD_JUDGE})

    assert view.corrected() is None
    assert (alert.value.called, alert.value.corrected) == (FLAGGED, None)
    assert "flagged" in alert.annotations["summary"]
    assert "corrected" not in figures(view)


def test_a_judge_that_cannot_tell_has_no_corrected_rate_and_that_is_said() -> None:
    view, alert = watched({"s1": GUESSING})

    assert view.rate() is not None
    assert view.corrected() is None
    assert alert.value.called == FLAGGED
    assert "by labels its judge cannot tell good answers from bad" in alert.annotations["summary"]
    said = figures(view)
    assert (said["judge_tells"], said["corrected"]) == (False, None)
