"""Rows behind a schema registry's mark: `0` and a 4-byte id, or `1` and a 16-byte one, or a header.

The schema is not asked for: a row of JSON is read without. Avro and Protobuf cannot be.
"""

from uuid import UUID

from streams.batch import Parsed
from streams.intake.envelope import NOTHING, Beside, bare, headers_of, only_json
from streams.intake.labels import label
from streams.intake.refusals import RefusedRowError

HEADER = "__value_schema_id"
PREFIXES = {b"\x00": 5, b"\x01": 17}
"""The first byte of a prefix, and how long such a prefix is."""

SCHEMA = "schema_id"
"""The attribute that tells by which schema a row was written."""


def framed(record: Parsed) -> bool:
    """Say whether a record carries a schema's id."""
    value = record.value or b""
    return len(value) >= PREFIXES.get(value[:1], len(value) + 1) or any(
        name == HEADER for name, _ in record.headers
    )


def confluent(record: Parsed) -> tuple[bytes, Beside]:
    """Open a row with a schema's id before it or in a header. Raises RefusedRowError."""
    value, _ = bare(record)
    length = PREFIXES.get(value[:1], 0)
    if length > len(value) or not framed(record):
        raise RefusedRowError(
            "unsupported_encoding", f"no schema id: neither a prefix nor the header {HEADER}"
        )
    named = schema_of(value[:length]) if length else _header(record)
    row = only_json(value[length:], "after the schema id")
    return row, Beside(labels={SCHEMA: named} if named else NOTHING)


def schema_of(prefix: bytes) -> str | None:
    """Return a schema's id: a number, or a UUID; None where it is neither."""
    if len(prefix) != PREFIXES.get(prefix[:1]):
        return None
    return str(int.from_bytes(prefix[1:])) if prefix[0] == 0 else str(UUID(bytes=prefix[1:]))


def _header(record: Parsed) -> str | None:
    raw = dict(record.headers)[HEADER] or b""  # a header may be null
    return schema_of(raw) or label(headers_of(record).get(HEADER))
