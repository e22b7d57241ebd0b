"""Alerts to tell of."""

from datetime import UTC, datetime, timedelta

from schemas.alert import Alert, AlertValue, AlertWindow, Exemplar, Mute, Notice

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def after(**duration: float) -> datetime:
    return NOON + timedelta(**duration)


def an_alert(
    status: str = "firing", *, key: str = "k1", episode: str = "e1", at: datetime = NOON
) -> Alert:
    return Alert.model_validate(
        {
            "alert_id": episode,
            "dedup_key": key,
            "status": status,
            "rule": "bad-answers",
            "severity": "page",
            "starts_at": NOON,
            "ends_at": at if status == "resolved" else None,
            "evaluated_at": at,
            "window": AlertWindow(start=at - timedelta(hours=1), end=at, length_s=3600),
            "labels": {
                "alertname": "bad-answers",
                "service_name": "shop",
                "environment": "production",
                "metric": "faithfulness",
                "severity": "page",
            },
            "annotations": {"summary": "faithfulness flagged 21 % (13-31 %), n=84 <b>"},
            "value": AlertValue(rate=0.21, lower=0.13, upper=0.31, threshold=0.1, n=84),
            "exemplars": (Exemplar(trace_id="t/1", at=at), Exemplar(trace_id="t2", at=at)),
        }
    )


def a_notice(alert: Alert, *, at: datetime, receiver: str = "ops") -> Notice:
    return Notice(
        receiver=receiver,
        alert_id=alert.alert_id,
        dedup_key=alert.dedup_key,
        assistant="shop/production",
        status=alert.status,
        at=at,
    )


def a_mute(*, until: datetime, alert_id: str | None = "e1", **labels: str) -> Mute:
    return Mute(
        id="m1",
        alert_id=None if labels else alert_id,
        labels=labels or None,
        until=until,
        by="kim",
        at=NOON,
    )
