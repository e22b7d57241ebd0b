"""Which encoding a record is in, and what opens it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.intake.decode import Intake
from streams.intake.encodings import envelope, recognised
from streams.ports import Record
from tests.streams.assemble.otlp_batches import as_json, as_proto, bare_span
from tests.streams.intake.rows import record, row

ROW = json.dumps(row(answer="Soon.")).encode()
EVENT = {"specversion": "1.0", "id": "e-1", "source": "/shop", "type": "t", "data": row()}

SHORT = as_proto([bare_span("x" * 67)])
"""A batch that begins as a JSON object does, for who takes a line feed for white space."""

RECORDS: dict[str, tuple[Record, str | None]] = {
    "a row": (record(ROW), "json"),
    "a row after white space": (record(b"\n\t " + ROW), "json"),
    "a row after a byte order mark": (record(b"\xef\xbb\xbf" + ROW), "json"),
    "a torn row": (record(ROW[:-1]), "json"),
    "a tombstone": (record(None), "json"),
    "no bytes": (record(b""), "json"),
    "a line feed": (record(b"\n"), "json"),
    "spans": (record(as_proto([bare_span("chat")])), "otlp_proto"),
    "spans that look like an object": (record(SHORT), "otlp_proto"),
    "spans in JSON": (record(as_json([bare_span("chat")])), "otlp_json"),
    "a row that speaks of spans": (record(row(answer='"resourceSpans"')), "json"),
    "a row behind a schema's id": (record(b"\x00\x00\x00\x00\x07" + ROW), "confluent"),
    "a row with a schema in a header": (
        record(ROW, headers=[("__value_schema_id", b"\x00\x00\x00\x00\x07")]),
        "confluent",
    ),
    "a binary event": (record(ROW, headers=[("ce_specversion", b"1.0")]), "cloudevents"),
    "a structured event": (record(EVENT), "cloudevents"),
    "an event of a kind": (
        record(b"\x06", headers=[("Content-Type", b"application/CloudEvents+avro")]),
        "cloudevents",
    ),
    "a row that speaks of a version": (record(row(answer='"specversion"')), "json"),
    "a list": (record([row()]), None),
    "Latin-1": (record("Öffnet".encode("latin-1")), None),
    "XML": (record(b"<row/>"), None),
}


@pytest.mark.parametrize(("seen", "encoding"), RECORDS.values(), ids=RECORDS)
def test_a_record_is_recognised(seen: Record, encoding: str | None) -> None:
    assert recognised(seen) == encoding


def test_the_short_spans_look_like_an_object_indeed() -> None:
    assert SHORT.lstrip()[:1] == b"{"


def auto(**spans: bytes) -> Intake:
    rows = {name: lambda _, made=made: made for name, made in spans.items()}
    return Intake(envelope=envelope("auto", rows, max_bytes=1 << 20))


@pytest.mark.parametrize(
    "seen",
    [seen for seen, encoding in RECORDS.values() if encoding is not None and seen.value],
)
def test_auto_reads_each_as_its_own_setting_does(seen: Record) -> None:
    rows = {"otlp_proto": lambda _: ROW, "otlp_json": lambda _: ROW}
    single = Intake(envelope=envelope(recognised(seen) or "", rows, max_bytes=1 << 20))

    read = auto(otlp_proto=ROW, otlp_json=ROW).decode(seen)

    assert read == single.decode(seen)


def test_auto_refuses_what_is_nothing_known() -> None:
    refused = auto().decode(record(b"<row/>"))

    assert isinstance(refused, Rejection)
    assert (refused.reason, "CloudEvent" in refused.detail) == ("unsupported_encoding", True)


def test_spans_that_no_reader_is_there_for_are_refused_with_the_way_out() -> None:
    refused = auto().decode(record(SHORT))

    assert refused == Rejection("unsupported_encoding", "otlp_proto: install streamgauge[otlp]")


def test_spans_are_read_as_the_row_that_they_are() -> None:
    trace = auto(otlp_proto=ROW).decode(record(SHORT))

    assert isinstance(trace, RagTrace)
    assert trace.answer == "Soon."


@pytest.mark.parametrize("encoding", ["auto", "confluent", "cloudevents", "otlp_proto"])
def test_a_longer_record_is_not_looked_into(encoding: str) -> None:
    opens = envelope(encoding, {"otlp_proto": lambda _: ROW}, max_bytes=8)

    refused = Intake(envelope=opens).decode(record(b"\x00\x00\x00\x00\x07" + ROW))

    assert refused == Rejection("too_large", "longer than 8 bytes")


@settings(max_examples=80)
@given(
    st.sampled_from([seen for seen, _ in RECORDS.values() if seen.value]),
    st.data(),
    st.sampled_from(["auto", "confluent", "cloudevents"]),
)
def test_whatever_the_damage_both_readers_return(
    seen: Record, data: st.DataObject, encoding: str
) -> None:
    value = bytearray(seen.value or b"")
    value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    damaged = seen._replace(value=bytes(value[: data.draw(st.integers(0, len(value)))]))
    intake = Intake(envelope=envelope(encoding, {}, max_bytes=1 << 20))

    assert isinstance(intake.decode(damaged), RagTrace | Rejection)
    intake.head(damaged)
