"""Spans written as OTLP, in either encoding: the way back from what the readers return."""

import base64
import json
from collections.abc import Mapping, Sequence
from math import isfinite

from opentelemetry.proto.common.v1.common_pb2 import (  # noqa: TID251 - what is read, written
    AnyValue,
    ArrayValue,
    KeyValue,
    KeyValueList,
)
from opentelemetry.proto.trace.v1 import trace_pb2  # noqa: TID251

from streams.assemble.span import Span, Value

ERROR = trace_pb2.Status.StatusCode.STATUS_CODE_ERROR


def bare_span(name: str, **members: object) -> Span:
    """A span of a trace of its own, with the members given."""
    required = {"trace_id": "0a" * 16, "span_id": "0b" * 8, "parent_id": None, "name": name}
    return Span(**{**required, "start_ns": 1, "end_ns": 2, **members})  # type: ignore[arg-type]


def as_json(spans: Sequence[Span]) -> bytes:
    """Return one record's value: each span with a resource and a scope of its own."""
    return json.dumps({"resourceSpans": [_json_of(span) for span in spans]}).encode()


def as_proto(spans: Sequence[Span]) -> bytes:
    """Return one record's value: each span with a resource and a scope of its own."""
    return trace_pb2.TracesData(
        resource_spans=[_proto_of(span) for span in spans]
    ).SerializeToString()


def _json_of(span: Span) -> dict[str, object]:
    members: dict[str, object] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_id or "",
        "name": span.name,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _json_pairs(span.attributes),
        "events": [
            {
                "name": event.name,
                "timeUnixNano": str(event.time_ns),
                "attributes": _json_pairs(event.attributes),
            }
            for event in span.events
        ],
        "status": {"code": 2} if span.failed else {},
    }
    scope = {"name": span.scope.name, "version": span.scope.version}
    return {
        "resource": {"attributes": _json_pairs(span.resource)},
        "scopeSpans": [{"scope": scope, "spans": [members]}],
    }


def _json_pairs(attributes: Mapping[str, Value]) -> list[dict[str, object]]:
    return [{"key": key, "value": _json_value(value)} for key, value in attributes.items()]


def _json_value(value: Value) -> dict[str, object]:  # noqa: PLR0911 - a line for each kind
    match value:
        case None:
            return {}
        case str():
            return {"stringValue": value}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value if isfinite(value) else json.dumps(value)}
        case bytes():
            return {"bytesValue": base64.b64encode(value).decode()}
        case Mapping():
            return {"kvlistValue": {"values": _json_pairs(value)}}
        case _:
            return {"arrayValue": {"values": [_json_value(inner) for inner in value]}}


def _proto_of(span: Span) -> trace_pb2.ResourceSpans:
    written = trace_pb2.Span(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_id or ""),
        name=span.name,
        start_time_unix_nano=span.start_ns,
        end_time_unix_nano=span.end_ns,
        attributes=_proto_pairs(span.attributes),
        events=[
            trace_pb2.Span.Event(
                name=event.name,
                time_unix_nano=event.time_ns,
                attributes=_proto_pairs(event.attributes),
            )
            for event in span.events
        ],
        status=trace_pb2.Status(code=ERROR) if span.failed else None,
    )
    of_scope = trace_pb2.ScopeSpans(spans=[written])
    of_scope.scope.name, of_scope.scope.version = span.scope.name, span.scope.version
    of_resource = trace_pb2.ResourceSpans(scope_spans=[of_scope])
    of_resource.resource.attributes.extend(_proto_pairs(span.resource))
    return of_resource


def _proto_pairs(attributes: Mapping[str, Value]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_proto_value(value)) for key, value in attributes.items()]


def _proto_value(value: Value) -> AnyValue:  # noqa: PLR0911 - as above
    match value:
        case None:
            return AnyValue()
        case str():
            return AnyValue(string_value=value)
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case Mapping():
            return AnyValue(kvlist_value=KeyValueList(values=_proto_pairs(value)))
        case _:
            items = [_proto_value(inner) for inner in value]
            return AnyValue(array_value=ArrayValue(values=items))
