"""Cutting up a record of OTLP protobuf by its traces."""

from collections import defaultdict
from collections.abc import Container

from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData


def split(value: bytes, wanted: Container[str]) -> dict[str, bytes]:
    """Return a value for each wanted trace of one that was found readable."""
    parts: defaultdict[str, TracesData] = defaultdict(TracesData)
    for resource in TracesData.FromString(value).resource_spans:
        for scope in resource.scope_spans:
            by_trace: defaultdict[str, list[Span]] = defaultdict(list)
            for span in scope.spans:
                by_trace[span.trace_id.hex()].append(span)
            for trace_id in filter(wanted.__contains__, by_trace):
                of = parts[trace_id].resource_spans.add(
                    resource=resource.resource, schema_url=resource.schema_url
                )
                spans = by_trace[trace_id]
                of.scope_spans.add(scope=scope.scope, schema_url=scope.schema_url, spans=spans)
    return {trace_id: part.SerializeToString() for trace_id, part in parts.items()}
