"""Who is to be told of which alert now. Pure: a state over what the alerts topic holds.

alert    the last step of each episode counts
mute     what it covers waits until it ends
notice   what a receiver was told stays told, whatever process told it
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from schemas.alert import Alert, Mute, Notice

APART = timedelta(minutes=1)
"""The least time between two notices to one receiver about one alert."""

KEPT = timedelta(days=1)
"""How long an alert that ended is remembered for receivers that could not be told."""


@dataclass(frozen=True, slots=True)
class Due:
    """What a receiver is to be told: the last step of an alert, and whether it was told before."""

    alert: Alert
    reminder: bool = False


@dataclass(slots=True)
class Desk:
    """Everything that is known of alerts, of mutes and of what was told."""

    _alerts: dict[str, tuple[int, Alert]] = field(default_factory=dict)
    _mutes: dict[str, Mute] = field(default_factory=dict)
    _notices: dict[tuple[str, str], Notice] = field(default_factory=dict)

    def hear(self, message: Alert | Mute | Notice, *, partition: int = 0) -> None:
        """Take in a message of the alerts topic, in the order of its partition."""
        match message:
            case Alert():
                self._alerts[message.dedup_key] = (partition, message)
            case Mute():
                self._mutes[message.id] = message
            case Notice():
                self._notices[message.receiver, message.dedup_key] = message

    def due(
        self, receiver: str, *, now: datetime, every: timedelta, partitions: Container[int]
    ) -> Sequence[Due]:
        """Return what a receiver is to be told now, of alerts of these partitions.

        It is reminded `every` so often of what still fires. An alert that ended is told only to
        those that were told that it fired.
        """
        self._forget(now)
        found = [
            self._due(receiver, alert, now, every)
            for partition, alert in self._alerts.values()
            if partition in partitions and not self._muted(alert, now)
        ]
        return [one for one in found if one is not None]

    def _due(self, receiver: str, alert: Alert, now: datetime, every: timedelta) -> Due | None:
        last = self._notices.get((receiver, alert.dedup_key))
        told = last if last and last.alert_id == alert.alert_id else None
        if told is None:
            return None if alert.status == "resolved" else Due(alert)
        waited = now - told.at
        if told.status == "resolved" or waited < APART:
            return None
        if told.status != alert.status:
            return Due(alert)
        return Due(alert, reminder=True) if waited >= every else None

    def _muted(self, alert: Alert, now: datetime) -> bool:
        return any(mute.covers(alert, at=now) for mute in self._mutes.values())

    def _forget(self, now: datetime) -> None:
        """Let go of mutes that are over, and of alerts that ended long ago with their notices."""
        self._mutes = {id_: mute for id_, mute in self._mutes.items() if mute.until > now}
        over = [
            key
            for key, (_, alert) in self._alerts.items()
            if alert.ends_at is not None and alert.ends_at < now - KEPT
        ]
        for key in over:
            del self._alerts[key]
        self._notices = {
            place: notice for place, notice in self._notices.items() if place[1] not in over
        }
