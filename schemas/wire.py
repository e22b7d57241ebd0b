"""The one base of every message, and the types that all of them write alike."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, PlainSerializer

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class WireModel(BaseModel):
    """A message, or a part of one: immutable, tolerant of fields it does not know, never NaN."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        allow_inf_nan=False,
        populate_by_name=True,
        serialize_by_alias=True,
    )

    def to_json(self) -> bytes:
        """Return the message as UTF-8 JSON, `schema` first."""
        return self.model_dump_json().encode()


def in_milliseconds(at: datetime) -> datetime:
    """Return the instant in UTC, cut (not rounded) to milliseconds as the wire writes it."""
    if at.tzinfo is not UTC:
        at = at.astimezone(UTC)
    beyond = at.microsecond % 1000
    return at.replace(microsecond=at.microsecond - beyond) if beyond else at


def rfc3339(at: datetime) -> str:
    """Return RFC 3339 in UTC with milliseconds, as `2026-01-31T09:15:00.000Z`."""
    if at.tzinfo is not UTC:  # converting would cost most of the time, and every event has three
        at = at.astimezone(UTC)
    return at.isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


Instant = Annotated[
    AwareDatetime,
    AfterValidator(in_milliseconds),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
]
"""A point in time, in UTC, to the millisecond."""


def from_milliseconds(at: int) -> datetime:
    """Return the instant of a record's timestamp (milliseconds since 1970)."""
    return _EPOCH + timedelta(milliseconds=at)


def to_milliseconds(at: datetime) -> int:
    """Return the instant as milliseconds since 1970, cut."""
    since = at - _EPOCH  # by its parts, for dividing one duration by another takes longer
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000
