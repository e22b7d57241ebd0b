"""What a collector was sent, read back from OTLP's bytes."""

from collections.abc import Sequence

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: TID251 - reads it back
    ExportLogsServiceRequest,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (  # noqa: TID251
    ExportTraceServiceRequest,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord  # noqa: TID251
from opentelemetry.proto.trace.v1.trace_pb2 import Span  # noqa: TID251

Taken = Sequence[tuple[str, bytes]]
"""The path and the body of each request."""


def spans_in(taken: Taken) -> list[Span]:
    """Return all spans."""
    requests = (ExportTraceServiceRequest.FromString(b) for at, b in taken if at == "/v1/traces")
    resources = (resource for request in requests for resource in request.resource_spans)
    return [span for one in resources for scope in one.scope_spans for span in scope.spans]


def carriers_in(taken: Taken) -> list[Span]:
    """Return the carriers of scores among them."""
    return [span for span in spans_in(taken) if span.name.startswith("evaluate ")]


def events_in(taken: Taken) -> list[LogRecord]:
    """Return all log records."""
    requests = (ExportLogsServiceRequest.FromString(b) for at, b in taken if at == "/v1/logs")
    resources = (resource for request in requests for resource in request.resource_logs)
    return [record for one in resources for scope in one.scope_logs for record in scope.log_records]
