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


def event_time(answered_at: JsonValue, timestamp: int) -> tuple[int, TimeFrom]:
    """Return a row's event time and where it is from; both times in milliseconds since 1970.

    `answered_at` is ISO 8601 with a zone, or a number that is read by its size (`_NUMBERED`). An
    answer more than 5 minutes after its own record is one from a wrong clock. Raises
    RefusedRowError for what is no time.
    """
    if answered_at is None:
        return timestamp, "record"
    try:
        if isinstance(answered_at, str):
            at = to_milliseconds(datetime.fromisoformat(answered_at))
        else:
            at = _numbered(answered_at)
    except (ValueError, TypeError, OverflowError):  # a time without a zone makes a TypeError
        at = -1
    if not 0 <= at < _END_OF_TIME_MS:
        raise RefusedRowError(
            "bad_time", "answered_at: is no time with a zone, such as 2026-01-31T09:15:00Z"
        )
    return (at, "row") if at <= timestamp + MAX_AHEAD_MS else (timestamp, "clamped")


def _numbered(value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return -1
    for below, times, per in _NUMBERED:
        if value < below:
            return round(value * times) // per
    return -1
