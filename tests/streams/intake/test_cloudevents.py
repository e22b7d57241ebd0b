"""Rows within CloudEvents, in either mode."""

import base64
import json
from datetime import UTC, datetime

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.intake.cloudevents import cloudevents
from streams.intake.decode import Intake
from streams.intake.head import Head
from streams.ports import Record
from tests.streams.intake.rows import record, row

INTAKE = Intake(envelope=cloudevents)
TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7"
CONTEXT = f"00-{TRACE}-{SPAN}-01"
ABOUT = {
    "specversion": "1.0",
    "id": "e-1",
    "source": "/shop/answers",
    "type": "answered",
    "time": "2026-01-31T09:14:00Z",
    "traceparent": CONTEXT,
}
BARE = {"service": "shop", "answer": "Soon."}


def binary(value: object, **changes: str) -> Record:
    headers = {f"ce_{name}": text for name, text in ABOUT.items()}
    headers |= {"content-type": "application/json"} | changes
    return record(value, headers=[(name, text.encode()) for name, text in headers.items() if text])


def structured(content_type: str = "application/cloudevents+json", **members: object) -> Record:
    event = {k: v for k, v in {**ABOUT, "data": BARE, **members}.items() if v is not None}
    return record(event, headers=[("content-type", content_type.encode())] if content_type else [])


def decoded(event: Record) -> RagTrace:
    trace, head = INTAKE.decode(event), INTAKE.head(event)
    assert isinstance(trace, RagTrace), trace
    assert isinstance(head, Head)
    assert (head.trace_id or event.row_id, head.profile.service) == (trace.trace_id, trace.service)
    return trace


def refused(event: Record) -> Rejection:
    rejection = INTAKE.decode(event)
    assert isinstance(rejection, Rejection), rejection
    assert INTAKE.head(event) == rejection
    return rejection


EVENTS = {
    "binary": binary(BARE),
    "binary without a content type": binary(BARE, **{"content-type": ""}),
    "binary of a kind of JSON": binary(BARE, **{"content-type": "application/vnd.shop+json"}),
    "binary with its charset": binary(BARE, **{"content-type": "Application/JSON; charset=utf-8"}),
    "structured": structured(),
    "structured with its charset": structured("application/cloudevents+json; charset=UTF-8"),
    "structured, with nothing in headers": structured(""),
    "structured as base64": structured(
        data=None, data_base64=base64.b64encode(json.dumps(BARE).encode()).decode()
    ),
    "structured of a kind of JSON": structured(datacontenttype="application/vnd.shop+json"),
}


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_the_row_is_read_and_the_event_says_what_it_does_not(event: Record) -> None:
    trace = decoded(event)

    assert trace.answer == "Soon."
    assert (trace.trace_id, trace.span_id) == (TRACE, SPAN)
    assert trace.answered_at == datetime(2026, 1, 31, 9, 14, tzinfo=UTC)
    assert trace.answered_at_from == "row"
    assert trace.attributes == {"ce_source": "/shop/answers", "ce_id": "e-1"}


@pytest.mark.parametrize("make", [binary, lambda value: structured(data=value)])
def test_the_rows_own_word_counts(make: type[Record]) -> None:
    attributes = {"ce_source": "mine", "ce_id": "mine too"}
    own = {"traceId": "t-1", "timestamp": "2026-01-31T09:13:00Z", "attributes": attributes}

    trace = decoded(make(BARE | own))  # type: ignore[call-arg, arg-type]

    assert (trace.trace_id, trace.span_id) == ("t-1", None)
    assert trace.answered_at == datetime(2026, 1, 31, 9, 13, tzinfo=UTC)
    assert trace.attributes == attributes


@pytest.mark.parametrize("trace_id", [TRACE.upper(), "0af76519-16cd-43dd-8448-eb211c80319c"])
def test_the_span_of_the_context_is_that_of_its_own_trace_only(trace_id: str) -> None:
    assert decoded(binary(row(trace_id=trace_id))).span_id == SPAN
    assert decoded(binary(row(trace_id=trace_id, span_id="mine"))).span_id == "mine"
    assert decoded(binary(row(trace_id=TRACE[::-1]))).span_id is None


@pytest.mark.parametrize(
    "context", ["", "00", f"ff-{TRACE}-{SPAN}-01", f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-01"]
)
def test_a_context_that_is_none_is_passed_over(context: str) -> None:
    event = binary(BARE, ce_traceparent=context)

    assert decoded(event).trace_id == event.row_id


def test_the_context_may_stand_in_the_header_that_every_tracer_writes() -> None:
    assert decoded(binary(BARE, ce_traceparent="", traceparent=CONTEXT)).trace_id == TRACE


def test_the_id_of_an_event_is_no_label_that_strata_could_see() -> None:
    head = INTAKE.head(binary(BARE))

    assert isinstance(head, Head)
    assert head.profile.labels.keys() == {"service", "environment", "ce_source"}


def test_there_is_no_more_room_than_for_sixteen_labels() -> None:
    full = {f"a{n}": "x" for n in range(16)}

    assert decoded(binary(BARE | {"attributes": full})).attributes == full


REFUSED: dict[str, tuple[Record, str]] = {
    "a binary event without data": (binary(None), "tombstone"),
    "a structured event without data": (structured(data=None), "tombstone"),
    "a structured event of null": (record({**ABOUT, "data": None}), "tombstone"),
    "a row that is no event": (record(row()), "unsupported_encoding"),
    "bytes that are no event": (record(b"\x00\x01"), "unsupported_encoding"),
    "an event of 0.3": (binary(BARE, ce_specversion="0.3"), "unsupported_encoding"),
    "a structured event of 2.0": (structured(specversion="2.0"), "unsupported_encoding"),
    "Avro": (binary(BARE, **{"content-type": "application/avro"}), "unsupported_encoding"),
    "structured XML": (structured(datacontenttype="text/xml", data="<a/>"), "unsupported"),
    "data that is a text": (structured(data="When?"), "unsupported_encoding"),
    "a batch of events": (
        record([ABOUT], headers=[("content-type", b"application/cloudevents-batch+json")]),
        "unsupported_encoding",
    ),
    "an event in Avro": (
        record(b"\x06abc", headers=[("content-type", b"application/cloudevents+avro")]),
        "unsupported_encoding",
    ),
    "base64 that is none": (structured(data=None, data_base64="a"), "unsupported_encoding"),
    "a torn row": (binary(b'{"service":'), "not_json"),
    "a time that is none": (binary(BARE, ce_time="yesterday"), "bad_time"),
    "an event deeper than anything": (
        record(b'{"specversion":"1.0","data":' + b"[" * 9_000),
        "unsupported_encoding",
    ),
}


@pytest.mark.parametrize(("event", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_by_both_readers(event: Record, reason: str) -> None:
    assert refused(event).reason.startswith(reason)
