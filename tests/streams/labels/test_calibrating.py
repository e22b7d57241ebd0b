"""What a calibration needs, and when it no longer holds."""

import numpy
import pytest

from schemas.calibration import Calibration, LabelsRef
from streams.labels.agreement import agreements
from streams.labels.calibrating import accuracies, calibrated, outdated, refusals
from streams.watch.estimates.correction import Accuracy, corrected
from streams.watch.estimates.rates import Z95, Rate, wilson
from tests.streams.labels.judged import LINE, labelled
from tests.streams.watch.records import MIDNIGHT


def of(bad: int, good: int) -> list[str]:
    rows = labelled("bad", "bad", times=bad) + labelled("good", "good", times=good)
    found = agreements(rows)
    assert bool(calibrated(found)) != bool(list(refusals(found)))
    return list(refusals(found))


def made() -> Calibration:
    rows = labelled("bad", "bad", times=40) + labelled("good", "good", times=50)
    rows += labelled("good", "bad", times=10)
    labels = LabelsRef(hash="00", rows=len(rows))
    return Calibration(made_at=MIDNIGHT, labels=labels, judges=tuple(calibrated(agreements(rows))))


def test_too_few_labels_are_refused_with_how_many_are_missing() -> None:
    assert of(12, 29) == [
        "faithfulness by rules 1: too few labels: 30 of each are needed, "
        "label 18 more that are bad and 1 more that are good"
    ]


def test_enough_labels_are_not_refused() -> None:
    assert of(30, 30) == []


def test_a_calibration_is_read_back_by_series() -> None:
    read = Calibration.model_validate_json(made().to_json())

    known = accuracies(read, {"faithfulness": LINE})

    assert known["s1"].sensitivity.n == 50
    assert known["s1"].sensitivity.value == pytest.approx(
        40 * 100 / (40 * 100 + 100 * 10 / 60 * 40)
    )


def test_with_another_line_other_answers_are_bad_and_it_no_longer_holds() -> None:
    assert accuracies(made(), {"faithfulness": 0.9}) == {}
    assert [one.series for one in outdated(made(), {"faithfulness": 0.9})] == ["s1"]


@pytest.mark.parametrize(
    ("sensitivity", "specificity", "then", "today"),
    [(0.8, 0.95, 0.1, 0.3), (0.9, 0.8, 0.2, 0.05)],
)
def test_from_picked_labels_to_another_days_rate_the_limits_hold_the_truth(
    sensitivity: float, specificity: float, then: float, today: float
) -> None:
    """Labels: 80 of the bad verdicts and 120 of the good ones, on a day with another rate."""
    random, runs, held = numpy.random.default_rng(2), 150, 0
    share = then * sensitivity + (1 - then) * (1 - specificity)
    bad, good = 5000 * share, 5000 * (1 - share)
    flagged = today * sensitivity + (1 - today) * (1 - specificity)
    for _ in range(runs):
        right = int(random.binomial(80, then * sensitivity / share))
        missed = int(random.binomial(120, then * (1 - sensitivity) / (1 - share)))
        (found,) = agreements(
            [
                *labelled("bad", "bad", times=right, of=bad, picked=80 / bad),
                *labelled("bad", "good", times=80 - right, of=bad, picked=80 / bad),
                *labelled("good", "bad", times=missed, of=good, picked=120 / good),
                *labelled("good", "good", times=120 - missed, of=good, picked=120 / good),
            ]
        )
        assert found.sensitivity is not None
        assert found.specificity is not None
        value = float(random.binomial(500, flagged)) / 500
        rate = Rate(value, *wilson(value, 500, z=Z95), 500, 500)
        true = corrected(rate, Accuracy(found.sensitivity, found.specificity))
        held += true is None or true.lower <= today <= true.upper

    assert held / runs >= 0.92
