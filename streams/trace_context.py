"""W3C's trace context, as records carry it: the `traceparent` header, found and read. Pure."""

import re
from collections.abc import Iterable
from typing import NamedTuple

TRACEPARENT = "traceparent"

_WRITTEN = re.compile(r"(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?")


class TraceContext(NamedTuple):
    """A span by its trace's id and its own: 32 and 16 lower-case hex digits, not all zeros."""

    trace_id: str
    span_id: str


def carried(headers: Iterable[tuple[str, bytes]]) -> str | None:
    """Return the context that the headers of a record carry, unread; None without one."""
    for name, value in headers:
        if name == TRACEPARENT:
            return value.decode("ascii", errors="replace")
    return None


def trace_context(header: str) -> TraceContext | None:
    """Read a `traceparent` of any version that is to come; None for what is none."""
    found = _WRITTEN.fullmatch(header.strip())
    if found is None or not found[1].strip("0") or not found[2].strip("0"):
        return None
    return TraceContext(found[1], found[2])
