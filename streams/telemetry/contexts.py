"""Spans of production as OpenTelemetry's contexts: remote, and sampled whatever their flags said.

A span that reached us was exported. Its flags do not say so: exporters leave them out, and what is
not sampled would vanish without a word.
"""

from opentelemetry.context import Context
from opentelemetry.trace import (
    INVALID_SPAN,
    NonRecordingSpan,
    SpanContext,
    TraceFlags,
    set_span_in_context,
)

from streams.telemetry.targets import Target

_SAMPLED = TraceFlags(TraceFlags.SAMPLED)
_NOWHERE = set_span_in_context(INVALID_SPAN, Context())


def sampled(target: Target, *, remote: bool = False) -> SpanContext:
    """Return a span's context."""
    return SpanContext(target.trace_id, target.span_id, is_remote=remote, trace_flags=_SAMPLED)


def context_of(target: Target | None) -> Context:
    """Return what is emitted in a span of production's name; None: in nobody's."""
    if target is None:
        return _NOWHERE
    return set_span_in_context(NonRecordingSpan(sampled(target, remote=True)), Context())
