"""What is known of a row before it is drawn: whose it is, when it was answered, how it is labelled.

Every row is read this far, so this is the hot path. Sampled rows are read in full by the same
rules, so that a row's tally and its scores agree on the assistant and on the minute.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import JsonValue

from schemas.wire import to_milliseconds
from streams.intake.layout import Fields

RowFault = Literal[
    "tombstone", "newer_schema", "wrong_schema", "no_identity", "bad_identity", "bad_time", "probe"
]
"""Why a row that is strict JSON (or nothing at all) is set aside all the same."""

Assistant = tuple[str, str]
"""The service and the environment."""

TimeFrom = Literal["row", "record", "clamped"]

MAX_NAME = 256
"""Characters of an id or a name."""

MAX_AHEAD_MS = 5 * 60_000
"""How far an event time may be after its record's timestamp, which is what it is clamped to."""

MAX_LABELS = 16
MAX_LABEL_NAME = 64
MAX_LABEL = 128
"""Attributes of a row: how many, and the characters of a name and of a value."""

_MAJOR = 1
_END_OF_TIME_MS = 253_402_300_800_000  # year 10000
_NUMBERED = ((10**11, 1_000, 1), (10**14, 1, 1), (10**17, 1, 1_000), (10**20, 1, 1_000_000))
"""A number below the first column is seconds, milliseconds, micro- or nanoseconds since 1970."""


class RefusedRowError(ValueError):
    """The row cannot be taken. `detail` names a field and its fault, never the content."""

    def __init__(self, reason: RowFault, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


class Head(NamedTuple):
    """A row before it is drawn. `at` is its event time in milliseconds since 1970.

    `labels` are what strata may look at: the `attributes`, service, environment and feedback.
    """

    trace_id: str
    service: str
    environment: str
    at: int
    at_from: TimeFrom
    labels: Mapping[str, str]
    attributes: Mapping[str, str]

    @property
    def assistant(self) -> str:
        """The unit that is watched: `service/environment`."""
        return f"{self.service}/{self.environment}"


def head_of(
    row: Fields, *, of: Assistant | None, timestamp: int, row_id: Callable[[], str]
) -> Head:
    """Return the head of a row. Raises RefusedRowError.

    `of` is whose all rows are, where they are all of one. `timestamp` is the record's, in
    milliseconds; `row_id` gives the trace id of a row without one.
    """
    refuse_other_schemas(row)
    service, environment = assistant_of(row, of)
    trace_id = named(row, "trace_id") or row_id()
    at, at_from = event_time_ms(answered_ms(row.get("answered_at")), timestamp)
    attributes = labels_of(row.get("attributes"))
    labels = {**attributes, "service": service, "environment": environment}
    feedback = label(row.get("feedback"))
    if feedback is not None:
        labels["feedback"] = feedback
    return Head(trace_id, service, environment, at, at_from, labels, attributes)


def refuse_other_schemas(row: Fields) -> None:
    """Raise RefusedRowError for a message of ours that is no row, or a row of a later major."""
    schema = row.get("schema")
    if not isinstance(schema, str) or not schema.startswith("streamgauge."):
        return  # another tool's field of that name
    kind, _, version = schema.removeprefix("streamgauge.").partition("/")
    if kind != "trace":
        raise RefusedRowError("wrong_schema", "schema: a message of Streamgauge that is no row")
    major = version.split(".")[0]
    if not major.isdecimal() or len(major) > MAX_NAME or int(major) != _MAJOR:
        raise RefusedRowError(
            "newer_schema", f"schema: this version reads streamgauge.trace/{_MAJOR}; upgrade it"
        )


def assistant_of(row: Fields, of: Assistant | None) -> Assistant:
    """Return the row's service and environment; the constant wins."""
    if of is not None:
        return of
    service = named(row, "service")
    if service is None:
        raise RefusedRowError("no_identity", "service: absent, and intake.assistant is not set")
    environment = named(row, "environment") or "production"
    if "/" in environment:
        raise RefusedRowError("bad_identity", "environment: holds a slash")
    return service, environment


def named(row: Fields, field: str) -> str | None:
    """Return an id or name: text, or a whole number as text; None where absent or blank."""
    value = row.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise RefusedRowError("bad_identity", f"{field}: not text")
    if len(value) > MAX_NAME:
        raise RefusedRowError("bad_identity", f"{field}: longer than {MAX_NAME} characters")
    if not value.isprintable():
        raise RefusedRowError("bad_identity", f"{field}: holds control characters")
    return None if value.isspace() else value


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
        at = _written(value) if isinstance(value, str) else _numbered(value)
    except (ValueError, OverflowError):
        at = -1
    if not 0 <= at < _END_OF_TIME_MS:
        raise RefusedRowError("bad_time", "answered_at: no time with a zone, 2026-01-31T09:15:00Z")
    return at


def _written(text: str) -> int:
    at = datetime.fromisoformat(text)
    return -1 if at.tzinfo is None else to_milliseconds(at)


def _numbered(value: JsonValue) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return -1
    for below, times, per in _NUMBERED:
        if value < below:
            return round(value * times) // per
    return -1


def labels_of(attributes: JsonValue) -> dict[str, str]:
    """Return the row's attributes as short texts: the first 16 that can be labels.

    What cannot is left out: a label that was cut short would be another label.
    """
    labels: dict[str, str] = {}
    if not isinstance(attributes, dict):
        return labels
    for name, value in attributes.items():
        text = label(value)
        if text is not None and 0 < len(name) <= MAX_LABEL_NAME and name.isprintable():
            labels[name] = text
            if len(labels) == MAX_LABELS:
                break
    return labels


def label(value: JsonValue) -> str | None:
    """Return a value as a short text: numbers as JSON writes them, true and false in words."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int | float):
        text = repr(value)
    else:
        return None
    return text if 0 < len(text) <= MAX_LABEL and text.isprintable() else None
