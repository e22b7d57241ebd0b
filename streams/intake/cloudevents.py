"""Rows within CloudEvents 1.0: beside the row in headers (binary), or around it (structured)."""

import base64
import binascii
import re
from collections.abc import Mapping

import msgspec

from streams.batch import Parsed
from streams.intake.envelope import NOTHING, Beside, bare, headers_of, only_json
from streams.intake.labels import label
from streams.intake.refusals import RefusedRowError
from streams.trace_context import TRACEPARENT, trace_context

_STRUCTURED = "application/cloudevents"
_VERSION_HEADER = "ce_specversion"
_VERSION = "1.0"
_KEPT = ("id", "source", "time", TRACEPARENT)
_JSON_TYPE = re.compile(r"[^;]*[/+]json\s*(;.*)?", re.IGNORECASE)
_ABSENT = (b"", b"null")


class Event(msgspec.Struct, gc=False):
    """A structured event, as far as it is of use here. Nothing is made of its data yet."""

    specversion: str | None = None
    id: str | None = None
    source: str | None = None
    time: str | None = None
    datacontenttype: str | None = None
    traceparent: str | None = None
    data: msgspec.Raw = msgspec.Raw()
    data_base64: str | None = None


_DECODER = msgspec.json.Decoder(Event)


def cloudevents(record: Parsed) -> tuple[bytes, Beside]:
    """Open an event of either mode. Raises RefusedRowError."""
    headers, (value, _) = headers_of(record), bare(record)
    content_type = headers.get("content-type", "")
    if not content_type.lower().startswith(_STRUCTURED) and _VERSION_HEADER in headers:
        _supported(headers[_VERSION_HEADER], content_type)
        about = {name: headers.get(f"ce_{name}", "") for name in _KEPT}
        about[TRACEPARENT] = about[TRACEPARENT] or headers.get(TRACEPARENT, "")
        return only_json(value, "the event's data"), _beside(about)
    event = structured(value)
    if event is None:
        raise RefusedRowError(
            "unsupported_encoding", f"no CloudEvent: neither {_VERSION_HEADER} nor one in JSON"
        )
    _supported(event.specversion or "", event.datacontenttype or "")
    about = {name: getattr(event, name) or "" for name in _KEPT}
    return only_json(_data(event), "the event's data"), _beside(about)


def declared(headers: Mapping[str, str]) -> bool:
    """Say whether headers call a record an event of either mode."""
    content_type = headers.get("content-type", "").lower()
    return _VERSION_HEADER in headers or content_type.startswith(_STRUCTURED)


def structured(value: bytes) -> Event | None:
    """Read an event that is one JSON object; None where the object, or what it is, is no event."""
    try:
        event = _DECODER.decode(value)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    return event if event.specversion is not None else None


def _supported(version: str, content_type: str) -> None:
    if version != _VERSION:
        raise RefusedRowError("unsupported_encoding", f"specversion: only {_VERSION} is read")
    if content_type and not _JSON_TYPE.fullmatch(content_type):
        raise RefusedRowError("unsupported_encoding", "the event's data is not JSON by its type")


def _data(event: Event) -> bytes:
    if event.data_base64 is not None:
        try:
            return base64.b64decode(event.data_base64, validate=True)
        except (binascii.Error, ValueError):
            raise RefusedRowError("unsupported_encoding", "data_base64: not base64") from None
    data = bytes(event.data)
    if data in _ABSENT:
        raise RefusedRowError("tombstone", "the event has no data")
    return data


def _beside(about: Mapping[str, str]) -> Beside:
    fields = {"answered_at": about["time"]} if about["time"] else {}
    if (context := trace_context(about[TRACEPARENT])) is not None:
        fields |= context._asdict()
    return Beside(fields, _labelled(about, "source"), _labelled(about, "id"))


def _labelled(about: Mapping[str, str], name: str) -> Mapping[str, str]:
    text = label(about[name])
    return NOTHING if text is None else {f"ce_{name}": text}
