"""Alerts that nobody will resolve any more: their rule was taken out, or set otherwise."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from schemas.alert import Alert, AlertValue, AlertWindow
from schemas.identity import alert_id, dedup_key
from schemas.wire import rfc3339

REASON = "Its rule was taken out of the settings, or changed so that it no longer says this."


def withdrawn(labels: Mapping[str, str], *, starts_at: datetime, at: datetime) -> Alert:
    """Return the message that ends an alert because of its rule, and not of what was seen."""
    rule = labels["alertname"]
    key = dedup_key(rule, dict(labels))
    return Alert.model_validate(
        {
            "alert_id": alert_id(key, rfc3339(starts_at)),
            "dedup_key": key,
            "status": "resolved",
            "rule": rule,
            "severity": labels["severity"],
            "starts_at": starts_at,
            "ends_at": at,
            "evaluated_at": at,
            "window": AlertWindow(start=at, end=at, length_s=0),
            "labels": dict(labels),
            "annotations": {"summary": f"{rule}: no longer watched", "description": REASON},
            "value": AlertValue(),
        }
    )


def standing(told: Iterable[Alert]) -> Sequence[Alert]:
    """Return, of all that was ever told, the alerts that nobody has resolved."""
    last = {alert.alert_id: alert for alert in told}
    return [alert for alert in last.values() if alert.status != "resolved"]
