"""What the watch half shows: the figures of its windows are those that the rules see."""

from datetime import datetime, timedelta

import pytest

from streams.telemetry.capped import Capped
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from streams.vitals.watching import MOST_VALUES, WatchVitals
from streams.watch.estimates.correction import Accuracy
from streams.watch.estimates.rates import Rate
from streams.watch.options import Options
from streams.watch.partitions import Watches
from streams.watch.rules.threshold import ThresholdRule
from tests.streams.watch.records import SCORER, SHOP, a_mark, a_score, a_tally, at, bad, good

HOUR, SHORT = timedelta(hours=1), timedelta(minutes=1)
RULE = ThresholdRule(
    name="bad-answers", kind="threshold", scorer=SCORER, above=0.1, window=timedelta(minutes=30)
)
ACCURATE = Accuracy(Rate(0.8, 0.7, 0.88, 100, 100), Rate(0.95, 0.9, 0.98, 100, 100))
CLAIMS = {"claims": 3, "undecided": 1, "escalated_chat": 2}


def some_watches() -> Watches:
    """Fold half an hour in which every third answer is bad."""
    options = Options(rules=[RULE], accuracies={"s1": ACCURATE}, segments=["prompt_version"])
    watches = Watches(options, "rag.scores", lambda record, fault: None)
    watch = watches.of(0)
    offset = 0
    for minute in range(30):
        watch.fold(a_tally(60 * minute, rows=(3 * minute, 3 * minute + 3)), offset=offset)
        offset += 1
        for row in range(3 * minute, 3 * minute + 3):
            outcome = (bad() if row % 3 == 0 else good()).model_copy(update={"counts": CLAIMS})
            version = {"prompt_version": "v8" if row % 3 == 0 else f"v{row % 3}"}
            watch.fold(a_score(row, 20 * row, outcome, attributes=version), offset=offset)
            offset += 1
    for minute in range(32, 36):
        watch.fold(a_mark(60 * minute, scores=offset))
    return watches


def shown(watches: Watches, assistants: Capped | None = None) -> list[Sample]:
    now = lambda: at(60 * 36)  # noqa: E731 - a clock
    return list(WatchVitals(watches, (HOUR, SHORT), assistants or Capped(9), now).samples())


def one(samples: list[Sample], metric: Metric, window: str = "1h") -> Sample:
    [found] = [
        s for s in samples if s.metric is metric and s.attributes.get("window", "1h") == window
    ]
    return found


def test_a_window_shows_its_rate_with_limits_and_what_is_behind_it() -> None:
    watches = some_watches()
    view = watches.of(0).window(SHOP, SCORER, length=HOUR, at=at(60 * 34))
    rate, corrected = view.rate(), view.corrected()
    assert rate is not None
    assert corrected is not None

    samples = shown(watches)

    expected = {
        Metric.RATE: rate.value,
        Metric.LOWER: rate.lower,
        Metric.UPPER: rate.upper,
        Metric.CORRECTED: corrected.value,
        Metric.CORRECTED_LOWER: corrected.lower,
        Metric.CORRECTED_UPPER: corrected.upper,
        Metric.N: 90,
        Metric.N_EFF: 90,
        Metric.JUDGED: 1,
        Metric.ARRIVED: 1,
        Metric.UNDECIDED: 0,
        Metric.ESCALATED_SHARE: 0.5,
    }
    assert {metric: one(samples, metric).value for metric in expected} == pytest.approx(expected)
    assert one(samples, Metric.RATE).attributes == {
        "assistant": SHOP,
        "scorer": SCORER,
        "window": "1h",
    }


def test_where_nothing_is_known_there_is_no_rate_and_not_a_nought() -> None:
    samples = shown(some_watches())

    assert one(samples, Metric.N, "1m").value == 0
    assert not [s for s in samples if s.metric is Metric.RATE and s.attributes["window"] == "1m"]


def test_each_value_of_a_segment_has_its_rate_in_the_window_of_an_hour() -> None:
    samples = [s for s in shown(some_watches()) if "segment" in s.attributes]

    rates = {s.attributes["value"]: s.value for s in samples if s.metric is Metric.PART_RATE}
    assert rates == {"v8": 1, "v1": 0, "v2": 0}
    assert {s.value for s in samples if s.metric is Metric.PART_N} == {30}
    assert {s.attributes["window"] for s in samples} == {"1h"}
    assert {s.attributes["segment"] for s in samples} == {"prompt_version"}


def test_of_many_values_the_busiest_are_shown() -> None:
    watches = some_watches()
    for row in range(200, 200 + 2 * MOST_VALUES):
        score = a_score(row, 20, good(), attributes={"prompt_version": f"r{row}"})
        watches.of(0).fold(score, offset=10_000 + row)

    found = [s for s in shown(watches) if s.metric is Metric.PART_N]

    assert len(found) == MOST_VALUES
    assert {"v8", "v1", "v2"} <= {s.attributes["value"] for s in found}


def test_an_alert_that_stands_is_shown_with_its_status() -> None:
    alert = one(shown(some_watches()), Metric.ALERTS)

    assert alert.value == 1
    assert alert.attributes == {
        "rule": "bad-answers",
        "assistant": SHOP,
        "scorer": SCORER,
        "status": "firing",
    }


def test_time_and_size_are_shown() -> None:
    watches = some_watches()
    watermark = watches.of(0).watermark
    assert watermark is not None

    samples = shown(watches)

    age: datetime = at(60 * 36)
    assert one(samples, Metric.WATERMARK_AGE).value == (age - watermark).total_seconds()
    assert one(samples, Metric.PANES).value > 30
    assert one(samples, Metric.SILENT).value == 0


def test_an_assistant_beyond_the_cap_has_no_gauges_and_its_alerts_are_counted() -> None:
    full = Capped(1)
    full("another/production")

    samples = shown(some_watches(), full)

    assert not [s for s in samples if "window" in s.attributes]
    assert one(samples, Metric.ALERTS).attributes["assistant"] == "__other__"
