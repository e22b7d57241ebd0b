"""Rows behind a schema registry's mark."""

import json

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.intake.confluent import confluent
from streams.intake.decode import Intake
from tests.streams.intake.rows import record, row

INTAKE = Intake(envelope=confluent)
ROW = json.dumps(row(answer="Soon.", attributes={"locale": "en"})).encode()
GUID = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
WRITTEN = "0af76519-16cd-43dd-8448-eb211c80319c"

SIGNED: dict[str, tuple[bytes, list[tuple[str, bytes]], str]] = {
    "a number before the row": (b"\x00\x00\x00\x01\x02" + ROW, [], "258"),
    "a number and white space": (b"\x00\x00\x00\x00\x07\n " + ROW, [], "7"),
    "an id of 16 bytes before the row": (b"\x01" + GUID + ROW, [], WRITTEN),
    "a header of 17 bytes": (ROW, [("__value_schema_id", b"\x01" + GUID)], WRITTEN),
    "a header of 5 bytes": (ROW, [("__value_schema_id", b"\x00\x00\x00\x00\x07")], "7"),
    "a header in words": (ROW, [("__value_schema_id", WRITTEN.encode())], WRITTEN),
}


@pytest.mark.parametrize(("value", "headers", "schema"), SIGNED.values(), ids=SIGNED)
def test_the_row_is_read_and_the_schema_is_a_label(
    value: bytes, headers: list[tuple[str, bytes]], schema: str
) -> None:
    decoded = INTAKE.decode(record(value, headers=headers))

    assert isinstance(decoded, RagTrace)
    assert (decoded.trace_id, decoded.answer) == ("t-1", "Soon.")
    assert decoded.attributes == {"locale": "en", "schema_id": schema}


REFUSED: dict[str, tuple[bytes | None, str]] = {
    "a tombstone": (None, "tombstone"),
    "a row without a schema": (ROW, "unsupported_encoding"),
    "Avro": (b"\x00\x00\x00\x00\x07\x06foo", "unsupported_encoding"),
    "Protobuf with its index of messages": (b"\x00\x00\x00\x00\x07\x00\x0a\x03abc", "unsupp"),
    "half a prefix": (b"\x00\x00\x00", "unsupported_encoding"),
    "half a long prefix": (b"\x01" + GUID[:9], "unsupported_encoding"),
    "a prefix and nothing": (b"\x00\x00\x00\x00\x07", "empty"),
    "a torn row": (b"\x00\x00\x00\x00\x07{", "not_json"),
}


@pytest.mark.parametrize(("value", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_by_both_readers(value: bytes | None, reason: str) -> None:
    decoded = INTAKE.decode(record(value))

    assert isinstance(decoded, Rejection)
    assert decoded.reason.startswith(reason)
    assert INTAKE.head(record(value)) == decoded


def test_a_header_that_says_nothing_is_enough() -> None:
    decoded = INTAKE.decode(record(ROW, headers=[("__value_schema_id", b"")]))

    assert isinstance(decoded, RagTrace)
    assert decoded.attributes == {"locale": "en"}


def test_a_tombstone_with_a_schema_is_a_tombstone() -> None:
    decoded = INTAKE.decode(record(None, headers=[("__value_schema_id", b"\x01" + GUID)]))

    assert isinstance(decoded, Rejection)
    assert decoded.reason == "tombstone"
