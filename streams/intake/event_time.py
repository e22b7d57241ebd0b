"""When a row was answered: what it says of itself, as far as its record's time bears it out."""

from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from schemas.wire import to_milliseconds
from streams.intake.refusals import RefusedRowError

TimeFrom = Literal["row", "record", "clamped"]

MAX_AHEAD_MS = 5 * 60_000
"""How far an event time may be after its record's timestamp, which is what it is clamped to."""

_END_OF_TIME_MS = 253_402_300_800_000  # year 10000
_NUMBERED = ((10**11, 1_000, 1), (10**14, 1, 1), (10**17, 1, 1_000), (10**20, 1, 1_000_000))
"""A number below the first column is seconds, milliseconds, micro- or nanoseconds since 1970."""


def event_time_ms(answered: int | None, timestamp: int) -> tuple[int, TimeFrom]:
    """Return a row's event time and where it is from; both times in milliseconds since 1970.

    An answer more than 5 minutes after its own record is one from a wrong clock.
    """
    if answered is None:
        return timestamp, "record"
    if answered > timestamp + MAX_AHEAD_MS:
        return timestamp, "clamped"
    return answered, "row"


def answered_ms(value: JsonValue) -> int | None:
    """Return `answered_at` in milliseconds since 1970, None where absent.

    Reads ISO 8601 with a zone, and numbers by their size (`_NUMBERED`). Raises RefusedRowError.
    """
    if value is None:
        return None
    try:
        if isinstance(value, str):
            written = datetime.fromisoformat(value)
            at = -1 if written.tzinfo is None else to_milliseconds(written)
        else:
            at = _numbered(value)
    except (ValueError, OverflowError):
        at = -1
    if not 0 <= at < _END_OF_TIME_MS:
        raise RefusedRowError(
            "bad_time", "answered_at: is no time with a zone, such as 2026-01-31T09:15:00Z"
        )
    return at


def _numbered(value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return -1
    for below, times, per in _NUMBERED:
        if value < below:
            return round(value * times) // per
    return -1
