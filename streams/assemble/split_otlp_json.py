"""Cutting up a record of OTLP/JSON by its traces."""

from collections import defaultdict
from collections.abc import Container

import msgspec


def split(value: bytes, wanted: Container[str]) -> dict[str, bytes]:
    """Return a value for each wanted trace of one that was found readable."""
    parts: defaultdict[str, list[object]] = defaultdict(list)
    batch = msgspec.json.decode(value, type=dict[str, object])
    for resource in msgspec.convert(batch["resourceSpans"], list[dict[str, object]]):
        scopes = resource.get("scopeSpans") or ()
        for scope in msgspec.convert(scopes, list[dict[str, object]]):
            for trace_id, spans in _by_trace(scope).items():
                if trace_id in wanted:
                    parts[trace_id].append(resource | {"scopeSpans": [scope | {"spans": spans}]})
    return {
        trace_id: msgspec.json.encode({"resourceSpans": part}) for trace_id, part in parts.items()
    }


def _by_trace(scope: dict[str, object]) -> dict[str, list[dict[str, object]]]:
    found: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    for span in msgspec.convert(scope.get("spans") or (), list[dict[str, object]]):
        found[str(span["traceId"]).lower()].append(span)
    return found
