"""What a record's bytes can be: JSON rows, rows in envelopes, and spans that are one row."""

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from schemas.json_text import too_large
from streams.batch import Parsed
from streams.intake.cloudevents import cloudevents, declared, structured
from streams.intake.confluent import confluent, framed
from streams.intake.envelope import Beside, Envelope, bare, begins_as_object, headers_of
from streams.intake.refusals import RefusedRowError

Encoding = Literal["json", "otlp_proto", "otlp_json", "confluent", "cloudevents"]
"""What can be told of a record by looking at it."""

SHOWS_IDS = frozenset({"json", "confluent"})
"""The encodings in which a row's id stands in the bytes of its record as it is written."""

RowOfSpans = Callable[[bytes], bytes]
"""Makes the one row that a record's spans are. Raises RefusedRowError."""

_SPANS = b'"resourceSpans"'
_EVENT = b'"specversion"'


class _Signs(msgspec.Struct, rename="camel", gc=False):
    """What tells an object of spans from a row."""

    resource_spans: msgspec.Raw = msgspec.Raw()


_DECODER = msgspec.json.Decoder(_Signs)


def recognised(record: Parsed) -> Encoding | None:
    """Return what a record is, by its headers and its first bytes; None where it is nothing known.

    A tombstone is a row of JSON, and so is an empty value: that they hold nothing is said there.
    """
    value = record.value or b""
    if declared(headers_of(record)):
        return "cloudevents"
    if framed(record):
        return "confluent"
    if value[:1] == b"\n" and _signs(value) is None and value.strip():
        return "otlp_proto"  # a line feed to others: field 1, of which there is nothing but
    if begins_as_object(value):
        return _object(value)
    return None if value.strip() else "json"


def _object(value: bytes) -> Encoding:
    if _SPANS in value and (signs := _signs(value)) and memoryview(signs.resource_spans):
        return "otlp_json"
    if _EVENT in value and (event := structured(value)) and event.id and event.source:
        return "cloudevents"
    return "json"


def _signs(value: bytes) -> _Signs | None:
    try:
        return _DECODER.decode(value)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def envelope(encoding: str, spans: Mapping[str, RowOfSpans], *, max_bytes: int) -> Envelope:
    """Return what opens records of an encoding, or of any (`auto`).

    `spans` makes rows of spans, by their encodings. Longer records are not looked into.
    """
    openers: dict[str, Envelope] = {
        "json": bare,  # a row that is too long is refused by who reads it
        "confluent": _bounded(confluent, max_bytes),
        "cloudevents": _bounded(cloudevents, max_bytes),
        **{name: _bounded(_of_spans(row), max_bytes) for name, row in spans.items()},
    }
    return openers.get(encoding) or _bounded(_any(openers), max_bytes)


def _bounded(opens: Envelope, max_bytes: int) -> Envelope:
    def opened(record: Parsed) -> tuple[bytes, Beside | None]:
        if len(record.value or b"") > max_bytes:
            raise too_large(max_bytes)
        return opens(record)

    return opened


def _of_spans(row: RowOfSpans) -> Envelope:
    return lambda record: (row(bare(record)[0]), None)


def _any(openers: Mapping[str, Envelope]) -> Envelope:
    def opened(record: Parsed) -> tuple[bytes, Beside | None]:
        found = recognised(record)
        if found is None:
            raise RefusedRowError(
                "unsupported_encoding", "neither JSON, OTLP, Confluent's framing nor a CloudEvent"
            )
        if found not in openers:
            raise RefusedRowError("unsupported_encoding", f"{found}: install streamgauge[otlp]")
        return openers[found](record)

    return opened
