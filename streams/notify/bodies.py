"""What receivers are sent: Alertmanager's alerts, its webhook's shape, Slack's blocks. Pure.

Shapes: Alertmanager's API v2 (`POST /api/v2/alerts`, an array) and version 4 of its webhook;
Slack's incoming webhooks (a section's text holds 3,000 characters). No judged text is in any.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from pydantic import JsonValue

from schemas.alert import Alert
from schemas.wire import rfc3339
from streams.links import Links

KEPT_FIRING = timedelta(minutes=4)
"""How long Alertmanager keeps an alert firing that it hears nothing more of."""

_NEVER = "0001-01-01T00:00:00Z"
_FINGERPRINT = 16
_MOST_TEXT = 3_000
_LINKED = ("dashboard", "runbook")

Body: TypeAlias = JsonValue


def alertmanager(alert: Alert, links: Links, *, now: datetime, repeats: timedelta) -> Body:
    """Return what Alertmanager is posted. What fires ends by itself unless it is sent again."""
    alert = links.on(alert)
    ends = alert.ends_at if alert.status == "resolved" else now + max(KEPT_FIRING, 4 * repeats)
    one: dict[str, JsonValue] = {
        "labels": dict(alert.labels),
        "annotations": dict(_annotations(alert)),
        "startsAt": rfc3339(alert.starts_at),
        "endsAt": rfc3339(ends or now),
    }
    if dashboard := alert.annotations.get("dashboard_url"):
        one["generatorURL"] = dashboard
    return [one]


def webhook(alert: Alert, links: Links, *, receiver: str) -> Body:
    """Return what Alertmanager would post to a webhook, version 4: a group of this one alert."""
    alert = links.on(alert)
    status = "resolved" if alert.status == "resolved" else "firing"
    annotations: JsonValue = dict(_annotations(alert))
    dashboard = alert.annotations.get("dashboard_url", "")
    one: JsonValue = {
        "status": status,
        "labels": dict(alert.labels),
        "annotations": annotations,
        "startsAt": rfc3339(alert.starts_at),
        "endsAt": rfc3339(alert.ends_at) if alert.ends_at else _NEVER,
        "generatorURL": dashboard,
        "fingerprint": alert.dedup_key[:_FINGERPRINT],
    }
    return {
        "version": "4",
        "groupKey": alert.dedup_key,
        "truncatedAlerts": 0,
        "status": status,
        "receiver": receiver,
        "groupLabels": {"alertname": alert.labels.get("alertname", alert.rule)},
        "commonLabels": dict(alert.labels),
        "commonAnnotations": annotations,
        "externalURL": dashboard,
        "alerts": [one],
    }


def slack(alert: Alert, links: Links, *, reminder: bool) -> Body:
    """Return a message for a channel. Slack knows no end of an alert: that is a second message."""
    word = {"firing": "FIRING", "nodata": "NO DATA", "resolved": "Resolved"}[alert.status]
    title = f"{word}{' (still)' if reminder else ''}: {alert.rule}"
    alert = links.on(alert)
    said = alert.annotations
    lines = [f"*{_plain(title)}*"]
    lines += [_plain(said[name]) for name in ("summary", "description") if name in said]
    lines += [f"<{said[f'{name}_url']}|{name}>" for name in _LINKED if f"{name}_url" in said]
    traces = [f"<{one.link}>" if one.link else _plain(one.trace_id) for one in alert.exemplars]
    if traces:
        lines.append("Worst answers: " + ", ".join(traces))
    markdown: JsonValue = {"type": "mrkdwn", "text": _shortened(lines)}
    return {
        "text": f"{title}: {said.get('summary', '')}",
        "blocks": [{"type": "section", "text": markdown}],
    }


def _annotations(alert: Alert) -> dict[str, str]:
    traces = [one.link or one.trace_id for one in alert.exemplars]
    said = {**alert.annotations, "alert_id": alert.alert_id}
    if alert.status == "nodata":
        said["nodata"] = "It fired, and its data went: it is not known whether it still holds."
    if traces:
        said["worst_answers"] = "\n".join(traces)
    return said


def _shortened(lines: Sequence[str]) -> str:
    """Return as many whole lines as a section holds."""
    kept, length = [], 0
    for line in lines:
        length += len(line) + 1
        if length > _MOST_TEXT:
            break
        kept.append(line)
    return "\n".join(kept)


def _plain(text: str) -> str:
    """Escape what Slack takes for markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
