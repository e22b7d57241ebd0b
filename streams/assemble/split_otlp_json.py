"""Cutting up a record of OTLP/JSON by its traces.

Only what the cutting needs is looked at; all else is passed on as it was written.
"""

from collections import defaultdict
from collections.abc import Container, Mapping

import msgspec

from streams.assemble.otlp import UnreadableSpansError

_Object = dict[str, msgspec.Raw]


class _Ids(msgspec.Struct, rename="camel", gc=False):
    trace_id: str


_OBJECT = msgspec.json.Decoder(_Object)
_OBJECTS = msgspec.json.Decoder(list[_Object] | None)
_RAWS = msgspec.json.Decoder(list[msgspec.Raw] | None)
_IDS = msgspec.json.Decoder(_Ids)
_NONE = msgspec.Raw(b"null")


def split(value: bytes, wanted: Container[str]) -> dict[str, bytes]:
    """Return a value for each wanted trace of one that was found readable.

    Raises UnreadableSpansError where a name that no reader looks at is no text.
    """
    try:
        parts = _parts(value, wanted)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise UnreadableSpansError("not_otlp", "not OTLP/JSON: a name is no text") from None
    return {
        trace_id: msgspec.json.encode({"resourceSpans": part}) for trace_id, part in parts.items()
    }


def _parts(value: bytes, wanted: Container[str]) -> Mapping[str, list[object]]:
    parts: defaultdict[str, list[object]] = defaultdict(list)
    for resource in _OBJECTS.decode(_OBJECT.decode(value)["resourceSpans"]) or ():
        for scope in _OBJECTS.decode(resource.get("scopeSpans", _NONE)) or ():
            for trace_id, spans in _by_trace(scope).items():
                if trace_id in wanted:
                    parts[trace_id].append({**resource, "scopeSpans": [{**scope, "spans": spans}]})
    return parts


def _by_trace(scope: _Object) -> Mapping[str, list[msgspec.Raw]]:
    found: defaultdict[str, list[msgspec.Raw]] = defaultdict(list)
    for span in _RAWS.decode(scope.get("spans", _NONE)) or ():
        found[_IDS.decode(span).trace_id.lower()].append(span)
    return found
