"""A change of state worth telling someone about, and muting one."""

from datetime import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from schemas.wire import Instant, WireModel

Severity = Literal["page", "ticket", "info"]


class AlertWindow(WireModel):
    """The half-open span of event time that a rule looked at."""

    start: Instant
    end: Instant
    length_s: int


class AlertValue(WireModel):
    """The figures behind an alert. Shares in [0, 1]; null where a rule has no such figure.

    `lower` and `upper` are the limits that the rule decided by: one-sided, each as sure as the rule
    wants, which is 95 % unless it says so. `called` is what the rate is a rate of. `corrected` is
    the rate that a judge without errors would have found, with two-sided 95 % limits; null where no
    labels tell how often this one errs, or where it cannot tell good answers from bad.
    """

    rate: float | None = None
    lower: float | None = None
    upper: float | None = None
    threshold: float | None = None
    baseline: float | None = None
    n: int | None = None
    n_eff: float | None = None
    coverage: float | None = None
    sample_probability: float | None = None
    called: str | None = None
    corrected: float | None = None
    corrected_lower: float | None = None
    corrected_upper: float | None = None


class Exemplar(WireModel):
    """A trace worth looking at. No text."""

    trace_id: str
    span_id: str | None = None
    score: float | None = None
    label: str | None = None
    at: Instant
    link: str | None = None


class Alert(WireModel):
    """One step of one episode: it began to fire, lost its data, or was resolved."""

    schema_: Literal["streamgauge.alert/1"] = Field("streamgauge.alert/1", alias="schema")
    kind: Literal["alert"] = "alert"
    alert_id: str
    dedup_key: str
    status: Literal["firing", "resolved", "nodata"]
    rule: str
    severity: Severity
    starts_at: Instant
    ends_at: Instant | None = None
    evaluated_at: Instant
    window: AlertWindow
    labels: dict[str, str]
    annotations: dict[str, str] = Field(default_factory=dict)
    value: AlertValue
    exemplars: tuple[Exemplar, ...] = ()
    scorer: dict[str, str] | None = None
    change_hints: dict[str, str] = Field(default_factory=dict)


class Mute(WireModel):
    """Nobody is told of certain alerts until an instant: of one episode, or of all with labels.

    A muted alert changes its state and is published as ever.
    """

    schema_: Literal["streamgauge.mute/1"] = Field("streamgauge.mute/1", alias="schema")
    kind: Literal["mute"] = "mute"
    id: str
    alert_id: str | None = None
    labels: dict[str, str] | None = None
    until: Instant
    by: str
    at: Instant

    @model_validator(mode="after")
    def _names_one_or_some(self) -> Self:
        if (self.alert_id is None) == (not self.labels):
            raise ValueError("a mute names either one alert_id or labels")
        return self

    def covers(self, alert: Alert, *, at: datetime) -> bool:
        """Say whether an alert is muted at an instant."""
        return at < self.until and self.targets(alert)

    def targets(self, alert: Alert) -> bool:
        """Say whether an alert is meant: all labels that are named must be its own."""
        if self.alert_id is not None:
            return alert.alert_id == self.alert_id
        return (self.labels or {}).items() <= alert.labels.items()


class Notice(WireModel):
    """A receiver was told of an alert: so a restart neither tells it again nor forgets its end."""

    schema_: Literal["streamgauge.notice/1"] = Field("streamgauge.notice/1", alias="schema")
    kind: Literal["notice"] = "notice"
    receiver: str
    alert_id: str
    dedup_key: str
    assistant: str
    status: Literal["firing", "resolved", "nodata"]
    at: Instant
