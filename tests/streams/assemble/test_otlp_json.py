"""What OTLP/JSON may look like, and what protobuf's own JSON reader makes of it."""

import json
from collections.abc import Mapping

import pytest
from google.protobuf.json_format import Parse
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData  # noqa: TID251 - what went wrong

from streams.assemble.otlp import UnreadableSpansError
from streams.assemble.otlp_json import spans
from streams.assemble.span import Scope, Span, Value

IDS = {"traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174"}


def batch(**members: object) -> bytes:
    of_scope = {"spans": [{**IDS, **members}]}
    return json.dumps({"resourceSpans": [{"scopeSpans": [of_scope]}]}).encode()


def value_of(value: Mapping[str, object]) -> Value:
    (span,) = spans(batch(attributes=[{"key": "a", "value": value}]))
    return span.attributes["a"]


def test_ids_are_hex_in_any_case() -> None:
    (span,) = spans(batch(parentSpanId="EEE19B7EC3C1B173"))

    assert span.trace_id == "5b8efff798038103d269b633813fc60c"
    assert (span.span_id, span.parent_id) == ("eee19b7ec3c1b174", "eee19b7ec3c1b173")


def test_protobufs_own_reader_makes_another_id_of_it() -> None:
    read = Parse(batch(), TracesData())

    assert len(read.resource_spans[0].scope_spans[0].spans[0].trace_id) == 24


def test_what_is_absent_or_null_is_the_default() -> None:
    plain = Span(
        trace_id="5b8efff798038103d269b633813fc60c",
        span_id="eee19b7ec3c1b174",
        parent_id=None,
        name="",
        start_ns=0,
        end_ns=0,
        scope=Scope(),
    )

    nulls = dict.fromkeys(["parentSpanId", "name", "startTimeUnixNano", "attributes", "events"])

    assert spans(batch()) == [plain]
    assert spans(batch(**nulls, status=None)) == [plain]


def test_keys_that_nobody_knows_are_passed_over() -> None:
    assert spans(batch(droppedAttributesCount=3, links=[{}], later={"x": [1]})) == spans(batch())


@pytest.mark.parametrize("at", [1544712660000000000, "1544712660000000000", 15447126600e8])
def test_a_time_is_a_number_or_a_text(at: object) -> None:
    (span,) = spans(batch(startTimeUnixNano=at))

    assert span.start_ns == 1544712660000000000


@pytest.mark.parametrize("code", [2, "STATUS_CODE_ERROR"])
def test_a_span_failed_by_number_or_by_name(code: object) -> None:
    (span,) = spans(batch(status={"code": code}))

    assert span.failed


@pytest.mark.parametrize("code", [0, 1, 7, "STATUS_CODE_OK", "STATUS_CODE_LATER", None])
def test_a_span_with_any_other_status_did_not(code: object) -> None:
    (span,) = spans(batch(status={"code": code}))

    assert not span.failed


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"stringValue": ""}, ""),
        ({"boolValue": False}, False),
        ({"intValue": "-9223372036854775808"}, -9223372036854775808),
        ({"intValue": 7}, 7),
        ({"doubleValue": 1}, 1.0),
        ({"doubleValue": "1.5"}, 1.5),
        ({"doubleValue": "-Infinity"}, None),
        ({"bytesValue": "-_8"}, b"\xfb\xff"),
        ({"bytesValue": "+/8="}, b"\xfb\xff"),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "b"}]}}, {"b": None}),
        ({"laterValue": 1}, None),
        ({}, None),
    ],
)
def test_a_value_is_read_by_what_it_says_it_is(written: Mapping[str, object], read: Value) -> None:
    assert value_of(written) == read
    assert type(value_of(written)) is type(read)


@pytest.mark.parametrize(
    "written",
    [
        {"intValue": "1_000"},
        {"intValue": " 1"},
        {"intValue": 1.5},
        {"intValue": "99999999999999999999"},
        {"doubleValue": "much"},
        {"bytesValue": "a"},
        {"bytesValue": "ä"},
    ],
)
def test_a_value_that_is_not_what_it_says_is_refused(written: Mapping[str, object]) -> None:
    with pytest.raises(UnreadableSpansError, match=r"^bad_value: \w+Value: "):
        value_of(written)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (b" \n", "empty"),
        (b"[]", "not_otlp"),
        (b'{"resourceSpans": 1}', "not_otlp"),
        (b'{"resourceSpans": [{}]', "not_otlp"),
        (b'{"resourceSpans": [{}]} more', "not_otlp"),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "\xff"}]}]}]}', "not_otlp"),
        (b'{"question": "When?", "answer": "Soon."}', "no_spans"),
        (b'{"resourceSpans": []}', "no_spans"),
        (b'{"a":' * 10_000, "too_deep"),
        (b'{"resourceSpans":' + b"[" * 10_000, "not_otlp"),
    ],
)
def test_what_is_no_batch_of_spans_is_refused(value: bytes, fault: str) -> None:
    with pytest.raises(UnreadableSpansError) as refused:
        spans(value)

    assert refused.value.code == fault


def test_a_refusal_says_where_and_shows_nothing_of_the_content() -> None:
    with pytest.raises(UnreadableSpansError) as refused:
        spans(batch(name=["secret"]))

    assert "$.resourceSpans[0].scopeSpans[0].spans[0].name" in refused.value.detail
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", ["startTimeUnixNano", "endTimeUnixNano"])
def test_a_time_before_1970_is_refused_for_no_row_could_hold_it(name: str) -> None:
    with pytest.raises(UnreadableSpansError, match=f"bad_value: {name}"):
        spans(batch(**{name: "-1"}))
