"""Envelopes: what a row lies in, and what is written on it."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pydantic import JsonValue

from streams.batch import Parsed
from streams.intake.labels import MAX_LABELS
from streams.intake.layout import HEAD, Fields, heading
from streams.intake.refusals import RefusedRowError

NOTHING: Mapping[str, str] = MappingProxyType({})

_BOM = b"\xef\xbb\xbf"
_WHITE = b" \t\r\n"


class Beside(NamedTuple):
    """What an envelope says of its row, for where the row itself says nothing.

    `fields` under their canonical names: `span_id` counts for the trace of `trace_id` alone.
    `labels` are attributes with few values on a topic, so that strata may look at them; `marks`
    are others, which only rows that are read in full get.
    """

    fields: Mapping[str, str] = NOTHING
    labels: Mapping[str, str] = NOTHING
    marks: Mapping[str, str] = NOTHING

    def heading(self, head: Sequence[JsonValue]) -> tuple[JsonValue, ...]:
        """Return the fields of `HEAD`, in that order, with those of the envelope."""
        return heading(self.completing(dict(zip(HEAD, head, strict=True))))

    def completing(self, fields: Fields) -> Fields:
        """Return a row's fields with those of the envelope: the row's own word counts."""
        own = {name: value for name, value in fields.items() if value not in (None, "")}
        found: dict[str, JsonValue] = {**self.fields, **own}
        if "span_id" not in own and not self._of(found.get("trace_id")):
            found.pop("span_id", None)
        attributes = own.get("attributes", {})
        if self.labels and isinstance(attributes, dict):
            unnamed = {k: text for k, text in self.labels.items() if k not in attributes}
            found["attributes"] = {**attributes, **unnamed}
        return found

    def _of(self, trace_id: JsonValue) -> bool:
        return str(trace_id).replace("-", "").lower() == self.fields.get("trace_id")

    def marking(self, attributes: Mapping[str, str]) -> Mapping[str, str]:
        """Return a row's labels with the marks for which there is room."""
        if not self.marks or len(attributes) + len(self.marks) > MAX_LABELS:
            return attributes
        return {**self.marks, **attributes}


Envelope = Callable[[Parsed], tuple[bytes, Beside | None]]
"""Opens a record: the bytes of its row, and what stands beside it. Raises RefusedRowError."""


def bare(record: Parsed) -> tuple[bytes, None]:
    """Take the value for the row. Raises RefusedRowError for a tombstone."""
    value = record.value
    if value is None:
        raise RefusedRowError("tombstone", "the record has no value")
    return value, None


def headers_of(record: Parsed) -> dict[str, str]:
    """Return the record's headers as text, by their names in small letters; the last one counts."""
    return {name.lower(): value.decode(errors="replace") for name, value in record.headers if value}


def begins_as_object(value: bytes) -> bool:
    """Say whether the first byte that is no white space opens a JSON object."""
    return value.removeprefix(_BOM).lstrip(_WHITE)[:1] == b"{"


def only_json(value: bytes, what: str) -> bytes:
    """Return what an envelope holds, if that can be a JSON row. Raises RefusedRowError."""
    if begins_as_object(value) or not value.strip(_WHITE):  # that it is empty is said elsewhere
        return value
    raise RefusedRowError("unsupported_encoding", f"{what}: no JSON, and nothing else is read")
