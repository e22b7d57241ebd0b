"""Spans from OTLP protobuf, as the Collector's Kafka exporter writes them (`streamgauge[otlp]`)."""

from collections.abc import Callable, Iterable, Mapping

from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1 import trace_pb2

from streams.assemble.otlp import (
    FAILED,
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    Keep,
    UnreadableSpansError,
    bad_id,
    deeper,
    every_trace,
    finite,
)
from streams.assemble.span import Scope, Span, SpanEvent, Value

_NO_TRACE_ID = bytes(TRACE_ID_BYTES).hex()
_NO_SPAN_ID = bytes(SPAN_ID_BYTES).hex()


def spans(value: bytes, keep: Keep = every_trace, /) -> list[Span]:
    """Return the spans of the wanted traces (`otlp.SpanReader`)."""
    wanted: dict[bytes, str | None] = {}
    found: list[Span] = []
    for of_resource in _read(value):
        resource: Mapping[str, Value] | None = None
        for of_scope in of_resource.scope_spans:
            kept: list[tuple[str, trace_pb2.Span]] = []
            for span in of_scope.spans:
                raw = span.trace_id
                if raw not in wanted:
                    wanted[raw] = trace_id if keep(trace_id := _trace_id(raw)) else None
                if (known := wanted[raw]) is not None:
                    kept.append((known, span))
            if not kept:
                continue
            if resource is None:
                resource = _attributes(of_resource.resource.attributes)
            scope = Scope(of_scope.scope.name, of_scope.scope.version)
            found += [_span(trace_id, span, resource, scope) for trace_id, span in kept]
    return found


def _read(value: bytes) -> Iterable[trace_pb2.ResourceSpans]:
    if not value:  # to protobuf this is a message, and every tombstone would be one
        raise UnreadableSpansError("empty", "there is no message")
    batch = trace_pb2.TracesData()
    try:
        batch.ParseFromString(value)
    except DecodeError:
        json = "; it looks like JSON: set encoding: otlp_json" if value.lstrip()[:1] == b"{" else ""
        raise UnreadableSpansError("not_otlp", f"not OTLP protobuf{json}") from None
    if not batch.resource_spans:
        raise UnreadableSpansError("no_spans", "resource_spans: absent or empty")
    return batch.resource_spans


def _span(trace_id: str, span: trace_pb2.Span, resource: Mapping[str, Value], scope: Scope) -> Span:
    return Span(
        trace_id=trace_id,
        span_id=_span_id("span_id", span.span_id),
        parent_id=_parent(span.parent_span_id),
        name=span.name,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        events=_events(span.events) if span.events else (),
        resource=resource,
        scope=scope,
        failed=span.status.code == FAILED,
    )


def _events(events: Iterable[trace_pb2.Span.Event]) -> tuple[SpanEvent, ...]:
    return tuple(
        SpanEvent(one.name, one.time_unix_nano, _attributes(one.attributes)) for one in events
    )


def _trace_id(raw: bytes) -> str:
    digits = raw.hex()
    if len(raw) != TRACE_ID_BYTES or digits == _NO_TRACE_ID:
        raise bad_id("trace_id", TRACE_ID_BYTES)
    return digits


def _span_id(field: str, raw: bytes) -> str:
    digits = raw.hex()
    if len(raw) != SPAN_ID_BYTES or digits == _NO_SPAN_ID:
        raise bad_id(field, SPAN_ID_BYTES)
    return digits


def _parent(raw: bytes) -> str | None:
    return _span_id("parent_span_id", raw) if any(raw) else None


def _attributes(pairs: Iterable[KeyValue], depth: int = 0) -> dict[str, Value]:
    # Most values are texts: to ask first which one it is costs as much again.
    return {pair.key: (value := pair.value).string_value or _plain(value, depth) for pair in pairs}


def _plain(value: AnyValue, depth: int) -> Value:
    kind = value.WhichOneof("value")
    read = _READERS.get(kind) if kind else None
    return read(value, depth) if read else None


def _items(value: AnyValue, depth: int) -> Value:
    return [_plain(inner, deeper(depth)) for inner in value.array_value.values]


def _members(value: AnyValue, depth: int) -> Value:
    return _attributes(value.kvlist_value.values, deeper(depth))


_READERS: Mapping[str, Callable[[AnyValue, int], Value]] = {
    "string_value": lambda value, _: value.string_value,
    "bool_value": lambda value, _: value.bool_value,
    "int_value": lambda value, _: value.int_value,
    "double_value": lambda value, _: finite(value.double_value),
    "bytes_value": lambda value, _: value.bytes_value,
    "array_value": _items,
    "kvlist_value": _members,
}
