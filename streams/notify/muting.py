"""From what a person writes to a mute: one alert by its id, or all that have some labels. Pure."""

import hashlib
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from schemas.alert import Alert, Mute
from schemas.quantities import Duration

LONGEST = timedelta(days=30)

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)
_LABELS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=[^,=]+(?:,[A-Za-z_][A-Za-z0-9_]*=[^,=]+)*")


class MuteRefusedError(ValueError):
    """What was written names no alert, or too many, or an end that is none."""


def read_duration(text: str) -> timedelta:
    """Read how long a mute lasts. Raises MuteRefusedError."""
    try:
        return _DURATION.validate_python(text)
    except ValidationError:
        raise MuteRefusedError(f"--for {text}: write 90s, 30m, 2h or 3d") from None


def mute_of(
    target: str, alerts: Sequence[Alert], *, lasts: timedelta, by: str, at: datetime
) -> Mute:
    """Return the mute. `target`: an alert's id (its first characters will do), or `name=value,...`.

    A later mute of the same target takes the place of an earlier one; one that lasts no time at all
    lifts it. Raises MuteRefusedError.
    """
    if lasts > LONGEST:
        raise MuteRefusedError(f"--for: write at most {LONGEST.days}d")
    until = at + lasts
    if "=" not in target:
        alert_id = _id_of(target, alerts)
        return Mute(id=_name(alert_id), alert_id=alert_id, until=until, by=by, at=at)
    if not _LABELS.fullmatch(target):
        raise MuteRefusedError(
            f"{target}: write labels as name=value,name=value, such as service_name=shop"
        )
    labels = dict(pair.split("=", 1) for pair in target.split(","))
    name = _name(*(f"{label}={value}" for label, value in sorted(labels.items())))
    return Mute(id=name, labels=labels, until=until, by=by, at=at)


def _name(*target: str) -> str:
    return hashlib.blake2b(",".join(target).encode(), digest_size=6).hexdigest()


def _id_of(begins: str, alerts: Sequence[Alert]) -> str:
    found = sorted({alert.alert_id for alert in alerts if alert.alert_id.startswith(begins)})
    if len(found) == 1 and begins:
        return found[0]
    if not found or not begins:
        raise MuteRefusedError(
            f"{begins}: no alert has an id that begins so. `streamgauge show last-alert` "
            "names one; those of a rule are muted by alertname=RULE"
        )
    raise MuteRefusedError(
        f"{begins}: {len(found)} alerts have ids that begin so: write more of it"
    )
