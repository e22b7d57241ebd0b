"""What the demo shows on a terminal, and the lines that it prints elsewhere."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from schemas.alert import Alert
from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import Scored, ScoreEvent
from streams.console.evidence import ClaimView, claims_of
from streams.demo.stage import Player
from streams.ports import Message, Record, Sink
from streams.watch.fold import Watch
from streams.watch.windows import WindowView

_WIDTHS = {"answers of": 17, "flagged": 18}
"""Characters, so that columns stand still while their figures move; all of them fit in 80."""

WORST = 4
"""How many bad answers are shown."""


@dataclass(slots=True)
class Overheard:
    """A sink that lets the board see what passes through it."""

    sink: Sink
    alerts: list[Alert] = field(default_factory=list)
    bad: deque[ScoreEvent] = field(default_factory=lambda: deque(maxlen=WORST))
    scored: int = 0

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write, and remember what is worth showing."""
        await self.sink.publish(messages)
        for message in messages:
            if isinstance(message, Alert):
                self.alerts.append(message)
            if isinstance(message, ScoreEvent) and isinstance(message.outcome, Scored):
                self.scored += 1
                if message.outcome.bad and not self._has(message.trace.trace_id):
                    self.bad.append(message)

    def _has(self, trace_id: str) -> bool:
        """Say whether another scorer found the same answer bad: once is enough."""
        return any(event.trace.trace_id == trace_id for event in self.bad)

    async def mark(self, mark: Mark) -> None:
        """Write."""
        await self.sink.mark(mark)

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Write."""
        await self.sink.reject(record, rejection, at=at)


@dataclass(frozen=True, slots=True)
class Board:
    """The state of the play, from the watch half's own figures."""

    player: Player
    watch: Watch
    heard: Overheard
    window: timedelta

    def views(self) -> list[WindowView]:
        """Return the last window of each assistant and scorer."""
        at = self.watch.watermark or self.player.clock.at
        ends = at.replace(second=0, microsecond=0)
        known = sorted(self.watch.scorers())
        return [self.watch.window(a, s, length=self.window, at=ends) for a, s in known]

    def render(self) -> RenderableType:
        """Return the whole board."""
        return Group(self._rates(), self._alerts(), self._worst())

    def _rates(self) -> Table:
        minutes = int(self.window.total_seconds() // 60)
        table = Table(title=f"{self.player.clock.at:%A %H:%M:%S}, last {minutes} min", expand=True)
        for name, width in _WIDTHS.items():
            table.add_column(name, min_width=width)
        for name in ("really\nwrong", "n", "decided", "judged"):
            table.add_column(name, justify="right")
        for view in self.views():
            table.add_row(*self._row(view))
        return table

    def _row(self, view: WindowView) -> tuple[RenderableType, ...]:
        rate, family = view.rate(), view.family
        fires = any(alert.status != "resolved" and _about(alert, view) for alert in self._latest())
        style = "bold red" if fires else "green"
        truth = self.player.wrong_share(family.assistant, window=self.window)
        flagged = Text(f"{rate.value:5.1%} {_bar(rate.value)}" if rate else "-", style=style)
        flagged.append(f"\n{rate.lower:.1%} to {rate.upper:.1%}" if rate else "", style="dim")
        undecided = view.undecided
        return (
            Text(family.assistant.partition("/")[0]).append(f"\n{family.scorer}", style="dim"),
            flagged,
            _percent(truth),
            str(view.n),
            "-" if undecided is None else f"{1 - undecided:.0%}",
            _percent(view.coverage),
        )

    def _latest(self) -> list[Alert]:
        """Return the last step of each alert."""
        return list({alert.alert_id: alert for alert in self.heard.alerts}.values())

    def _alerts(self) -> Panel:
        lines = [alert_line(alert) for alert in self.heard.alerts[-6:]]
        return Panel(Text("\n".join(lines) or "none so far"), title="alerts", title_align="left")

    def _worst(self) -> Panel:
        lines = Text()
        for event in reversed(self.heard.bad):
            lines.append(f"{event.assistant}  {event.trace.trace_id}\n", style="dim")
            for claim in failed(event)[:1]:
                lines.append(f"  {claim.verdict}: ", style="red")
                lines.append(f"{claim.text}\n")
                if claim.evidence:
                    lines.append(f"  {claim.evidence}\n", style="cyan")
        return Panel(lines, title="latest bad answers: the claim that failed", title_align="left")

    def line(self) -> str:
        """Return the state in one plain line."""
        parts = [
            f"{view.family.assistant} {view.family.scorer} "
            f"{_percent(rate.value if (rate := view.rate()) else None)} (n={view.n})"
            for view in self.views()
        ]
        return f"{self.player.clock.at:%H:%M} " + ", ".join(parts)


def failed(event: ScoreEvent) -> list[ClaimView]:
    """Return the claims of an event that failed."""
    outcome = event.outcome
    claims = claims_of(outcome.breakdown) if isinstance(outcome, Scored) else []
    return [claim for claim in claims if claim.good is False]


def alert_line(alert: Alert) -> str:
    """Return an alert in one line."""
    word = {"firing": "FIRING  ", "resolved": "resolved", "nodata": "no data "}[alert.status]
    summary = alert.annotations.get("summary", alert.rule)
    return f"{alert.evaluated_at:%H:%M} {word} {alert.rule}: {summary}"


def _about(alert: Alert, view: WindowView) -> bool:
    labels = alert.labels
    assistant = f"{labels.get('service_name')}/{labels.get('environment')}"
    return assistant == view.family.assistant and labels.get("metric") == view.family.scorer


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _bar(share: float) -> str:
    return "█" * round(share * 30)
