from datetime import UTC, datetime, timedelta

import pytest
from pydantic import ValidationError

from schemas.alert import Alert, AlertValue, AlertWindow, Mute

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LABELS = {"alertname": "bad-answers", "service_name": "shop"}


def an_alert(alert_id: str = "a1") -> Alert:
    return Alert(
        alert_id=alert_id,
        dedup_key="d1",
        status="firing",
        rule="bad-answers",
        severity="page",
        starts_at=NOON,
        evaluated_at=NOON,
        window=AlertWindow(start=NOON - timedelta(hours=1), end=NOON, length_s=3600),
        labels=LABELS,
        value=AlertValue(),
    )


def a_mute(*, alert_id: str | None = None, labels: dict[str, str] | None = None) -> Mute:
    until = NOON + timedelta(hours=2)
    return Mute(id="m1", alert_id=alert_id, labels=labels, until=until, by="ops", at=NOON)


def test_a_mute_of_one_episode_covers_that_alone() -> None:
    mute = a_mute(alert_id="a1")

    assert mute.covers(an_alert("a1"), at=NOON)
    assert not mute.covers(an_alert("a2"), at=NOON)


def test_a_mute_of_labels_covers_every_alert_that_has_them_all() -> None:
    assert a_mute(labels={"service_name": "shop"}).covers(an_alert(), at=NOON)
    assert not a_mute(labels={**LABELS, "environment": "test"}).covers(an_alert(), at=NOON)


def test_a_mute_ends() -> None:
    assert not a_mute(alert_id="a1").covers(an_alert(), at=NOON + timedelta(hours=2))


@pytest.mark.parametrize("named", [{}, {"labels": {}}, {"alert_id": "a1", "labels": LABELS}])
def test_a_mute_of_nothing_or_of_both_is_refused(named: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="either one alert_id or labels"):
        Mute.model_validate({"id": "m1", "until": NOON, "by": "ops", "at": NOON, **named})
