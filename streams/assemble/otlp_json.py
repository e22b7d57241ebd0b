"""Spans from OTLP/JSON, by a reader of our own.

protobuf's JSON reader takes the ids for base64, and makes other ids of them without a word.
Otherwise this is proto3's JSON: names in lowerCamelCase, what is absent or null is the default,
64-bit integers are texts or numbers, an enum's value is its number or its name, bytes are base64.
"""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from streams.assemble import otlp_json_messages as messages
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
    too_deep,
)
from streams.assemble.span import Scope, Span, SpanEvent, Value

_FAILED = frozenset({FAILED, "STATUS_CODE_ERROR"})
_HEX = re.compile(r"[0-9a-f]*")
_WHOLE = re.compile(r"-?[0-9]{1,20}")
_LEAST, _BEYOND = -(1 << 63), 1 << 64
_URL_SAFE = str.maketrans("-_", "+/")

_DECODER = msgspec.json.Decoder(messages.Batch)


def spans(value: bytes, keep: Keep = every_trace, /) -> list[Span]:
    """Return the spans of the wanted traces (`otlp.SpanReader`)."""
    batch, wanted = _read(value), cache(keep)
    found: list[Span] = []
    for of_resource in batch:
        resource = of_resource.resource or messages.Resource()
        attributes: Mapping[str, Value] | None = None
        for of_scope in of_resource.scope_spans or ():
            kept = [
                (trace_id, span)
                for span in of_scope.spans or ()
                if wanted(trace_id := _id("traceId", span.trace_id, TRACE_ID_BYTES))
            ]
            if not kept:
                continue
            if attributes is None:
                attributes = _attributes(resource.attributes)
            named = of_scope.scope or messages.Scope()
            scope = Scope(named.name or "", named.version or "")
            found += [_span(trace_id, span, attributes, scope) for trace_id, span in kept]
    return found


def _read(value: bytes) -> Sequence[messages.ResourceSpans]:
    if not value or value.isspace():
        raise UnreadableSpansError("empty", "there is no message")
    try:
        batch = _DECODER.decode(value).resource_spans
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnreadableSpansError("not_otlp", f"not OTLP/JSON: {error}") from None
    if not batch:
        raise UnreadableSpansError("no_spans", "resourceSpans: absent or empty")
    return batch


def _span(trace_id: str, span: messages.Span, resource: Mapping[str, Value], scope: Scope) -> Span:
    return Span(
        trace_id=trace_id,
        span_id=_id("spanId", span.span_id, SPAN_ID_BYTES),
        parent_id=_parent(span.parent_span_id),
        name=span.name or "",
        start_ns=_instant("startTimeUnixNano", span.start_time_unix_nano),
        end_ns=_instant("endTimeUnixNano", span.end_time_unix_nano),
        attributes=_attributes(span.attributes),
        events=tuple(
            SpanEvent(
                name=event.name or "",
                time_ns=_instant("timeUnixNano", event.time_unix_nano),
                attributes=_attributes(event.attributes),
            )
            for event in span.events or ()
        ),
        resource=resource,
        scope=scope,
        failed=span.status is not None and span.status.code in _FAILED,
    )


def _id(field: str, text: str | None, length: int) -> str:
    digits = (text or "").lower()
    if len(digits) != 2 * length or not _HEX.fullmatch(digits) or not digits.strip("0"):
        raise bad_id(field, length)
    return digits


def _parent(text: str | None) -> str | None:
    if not text or not text.strip("0"):
        return None
    return _id("parentSpanId", text, SPAN_ID_BYTES)


def _attributes(pairs: Sequence[messages.KeyValue] | None, depth: int = 0) -> dict[str, Value]:
    return {pair.key or "": _plain(pair.value, depth) for pair in pairs or ()}


def _plain(value: messages.AnyValue | None, depth: int) -> Value:
    """Return what the first member that is there says, None where none is."""
    if value is None:
        return None
    if value.string_value is not None:
        return value.string_value
    if value.bool_value is not None:
        return value.bool_value
    if value.int_value is not None:
        return _whole("intValue", value.int_value)
    if value.double_value is not None:
        return _double(value.double_value)
    return _composed(value, depth)


def _composed(value: messages.AnyValue, depth: int) -> Value:
    if value.array_value is not None:
        inside = deeper(depth)
        return [_plain(inner, inside) for inner in value.array_value.values or ()]
    if value.kvlist_value is not None:
        return _attributes(value.kvlist_value.values, deeper(depth))
    return None if value.bytes_value is None else _bytes(value.bytes_value)


def _whole(field: str, value: messages.Whole) -> int:
    if (isinstance(value, str) and _WHOLE.fullmatch(value)) or (
        isinstance(value, float) and value.is_integer()
    ):
        value = int(value)
    if not isinstance(value, int) or not _LEAST <= value < _BEYOND:
        raise UnreadableSpansError("bad_value", f"{field}: no whole number of 64 bits")
    return value


def _instant(field: str, value: messages.Whole | None) -> int:
    nanoseconds = _whole(field, value or 0)
    if nanoseconds < 0:
        raise UnreadableSpansError("bad_value", f"{field}: before 1970")
    return nanoseconds


def _double(value: float | str) -> float | None:
    try:
        return finite(float(value))
    except ValueError:
        raise UnreadableSpansError("bad_value", "doubleValue: no number") from None


def _bytes(text: str) -> bytes:
    bare = text.translate(_URL_SAFE).rstrip("=")
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise UnreadableSpansError("bad_value", "bytesValue: not base64") from None
