"""Where an alert's reader goes on: its worst traces, a dashboard, what to do. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from schemas.alert import Alert


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses with names in braces where they vary; None where there is none.

    Names: an alert's labels, alert_id, rule, and its window's from and to (milliseconds since
    1970); for a trace its trace_id too.
    """

    trace: str | None = None
    dashboard: str | None = None
    runbook: str | None = None

    def on(self, alert: Alert) -> Alert:
        """Return the alert with these links. Those that it has stay where there is none here."""
        values = {**alert.labels, "alert_id": alert.alert_id, "rule": alert.rule}
        values |= {"from": _unix_ms(alert.window.start), "to": _unix_ms(alert.window.end)}
        named = {"dashboard_url": self.dashboard, "runbook_url": self.runbook}
        links = {name: filled(link, values) for name, link in named.items() if link is not None}
        exemplars = alert.exemplars
        if self.trace is not None:
            exemplars = tuple(
                one.model_copy(
                    update={"link": filled(self.trace, values | {"trace_id": one.trace_id})}
                )
                for one in exemplars
            )
        annotations = {**alert.annotations, **links}
        return alert.model_copy(update={"annotations": annotations, "exemplars": exemplars})


NO_LINKS = Links()


def first_links(links: Sequence[Links]) -> Links:
    """Return each link of the first that has it."""
    return Links(
        trace=next((one.trace for one in links if one.trace is not None), None),
        dashboard=next((one.dashboard for one in links if one.dashboard is not None), None),
        runbook=next((one.runbook for one in links if one.runbook is not None), None),
    )


def filled(link: str, values: Mapping[str, str]) -> str:
    """Return an address with what is in braces replaced; a name that is not known stays."""
    for name, value in values.items():
        link = link.replace(f"{{{name}}}", quote(value, safe=""))
    return link


def _unix_ms(at: datetime) -> str:
    return str(int(at.timestamp() * 1000))
