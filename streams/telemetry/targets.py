"""Which span of production a score belongs to, as OpenTelemetry names spans. Pure.

A trace id is one of OpenTelemetry's if it is 32 hex digits, whatever their case and dashes; one of
anything else has no context, and goes along as an attribute.
"""

import re
from typing import Literal, NamedTuple

from schemas.score import ScoreEvent
from schemas.trace import RagTrace
from streams.trace_context import trace_context

AttachTo = Literal["answer", "root"]

_TRACE_ID = re.compile(r"[0-9a-f]{32}")
_SPAN_ID = re.compile(r"[0-9a-f]{16}")


class Target(NamedTuple):
    """A span, by its trace's id and its own: both are above 0."""

    trace_id: int
    span_id: int


def target(event: ScoreEvent, row: RagTrace | None, attach_to: AttachTo) -> Target | None:
    """Return the span that a score belongs to, None where no id names one.

    Where a row tells of no root, its answer is the next best; where it tells of no span, the
    context that its record came with is, if that is of the same trace.
    """
    trace_id = _number(_TRACE_ID, event.trace.trace_id.replace("-", ""))
    carried = carried_target(event.traceparent or "")
    if trace_id is None:
        return carried
    root = row.root_span_id if row is not None and attach_to == "root" else None
    for span in (root, event.trace.span_id):
        if span is not None and (span_id := _number(_SPAN_ID, span)) is not None:
            return Target(trace_id, span_id)
    return carried if carried is not None and carried.trace_id == trace_id else None


def carried_target(header: str) -> Target | None:
    """Return the span that a `traceparent` names; None where it is none."""
    found = trace_context(header)
    return None if found is None else Target(int(found.trace_id, 16), int(found.span_id, 16))


def _number(digits: re.Pattern[str], text: str) -> int | None:
    text = text.lower()
    return (int(text, 16) or None) if digits.fullmatch(text) else None
