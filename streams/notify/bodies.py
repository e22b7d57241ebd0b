"""What receivers are sent: Alertmanager's alerts, its webhook's shape, Slack's blocks. Pure.

Shapes: Alertmanager's API v2 (`POST /api/v2/alerts`, an array) and version 4 of its webhook;
Slack's incoming webhooks (a section's text holds 3,000 characters). No judged text is in any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias
from urllib.parse import quote

from pydantic import JsonValue

from schemas.alert import Alert
from schemas.wire import rfc3339

KEPT_FIRING = timedelta(minutes=4)
"""How long Alertmanager keeps an alert firing that it hears nothing more of."""

_NEVER = "0001-01-01T00:00:00Z"
_FINGERPRINT = 16
_MOST_TEXT = 3_000

Body: TypeAlias = JsonValue


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses with {trace_id}, {alert_id} or a label's name in braces where they vary."""

    trace: str | None = None
    dashboard: str | None = None
    runbook: str | None = None

    def of(self, alert: Alert) -> dict[str, str]:
        """Return the links of an alert by the names of its annotations."""
        values = {**alert.labels, "alert_id": alert.alert_id, "rule": alert.rule}
        values |= {"from": _unix_ms(alert.window.start), "to": _unix_ms(alert.window.end)}
        named = {"dashboard_url": self.dashboard, "runbook_url": self.runbook}
        return {name: filled(link, values) for name, link in named.items() if link is not None}

    def traces(self, alert: Alert) -> list[str]:
        """Return the links of the worst answers, or their ids where there is no address."""
        ids = [exemplar.trace_id for exemplar in alert.exemplars]
        return ids if self.trace is None else [filled(self.trace, {"trace_id": i}) for i in ids]


def filled(link: str, values: Mapping[str, str]) -> str:
    """Return an address with what is in braces replaced; a name that is not known stays."""
    for name, value in values.items():
        link = link.replace(f"{{{name}}}", quote(value, safe=""))
    return link


def alertmanager(alert: Alert, links: Links, *, now: datetime, repeats: timedelta) -> Body:
    """Return what Alertmanager is posted. What fires ends by itself unless it is sent again."""
    ends = alert.ends_at if alert.status == "resolved" else now + max(KEPT_FIRING, 4 * repeats)
    one: dict[str, JsonValue] = {
        "labels": dict(alert.labels),
        "annotations": dict(_annotations(alert, links)),
        "startsAt": rfc3339(alert.starts_at),
        "endsAt": rfc3339(ends or now),
    }
    if dashboard := links.of(alert).get("dashboard_url"):
        one["generatorURL"] = dashboard
    return [one]


def webhook(alert: Alert, links: Links, *, receiver: str) -> Body:
    """Return what Alertmanager would post to a webhook, version 4: a group of this one alert."""
    status = "resolved" if alert.status == "resolved" else "firing"
    annotations: JsonValue = dict(_annotations(alert, links))
    dashboard = links.of(alert).get("dashboard_url", "")
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
    said = alert.annotations
    lines = [f"*{_plain(title)}*"]
    lines += [_plain(said[name]) for name in ("summary", "description") if name in said]
    addresses = links.of(alert).items()
    lines += [f"<{address}|{name.removesuffix('_url')}>" for name, address in addresses]
    traces = [f"<{t}>" if links.trace else _plain(t) for t in links.traces(alert)]
    if traces:
        lines.append("Worst answers: " + ", ".join(traces))
    markdown: JsonValue = {"type": "mrkdwn", "text": _shortened(lines)}
    return {
        "text": f"{title}: {said.get('summary', '')}",
        "blocks": [{"type": "section", "text": markdown}],
    }


def _annotations(alert: Alert, links: Links) -> dict[str, str]:
    traces = links.traces(alert)
    said = {**alert.annotations, **links.of(alert), "alert_id": alert.alert_id}
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


def _unix_ms(at: datetime) -> str:
    return str(int(at.timestamp() * 1000))
