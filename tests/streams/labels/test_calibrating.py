"""What a calibration needs, and when it no longer holds."""

import pytest

from schemas.calibration import Calibration, LabelsRef
from streams.labels.agreement import agreements
from streams.labels.calibrating import accuracies, calibrated, outdated, refusals
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
