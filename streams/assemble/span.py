"""A span as any exporter sent it: ids as lower-case hex, attribute values as plain Python."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Value: TypeAlias = "str | bool | int | float | bytes | Sequence[Value] | Mapping[str, Value] | None"
"""What an attribute can hold. Structured values are kept as such, JSON in strings as strings."""


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened within a span."""

    name: str
    time_ns: int
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scope:
    """The instrumentation that made a span."""

    name: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """One span. Ids: 32 and 16 lower-case hex digits. Times: nanoseconds since 1970, UTC.

    `parent_id` is None for a root. `resource` holds the attributes of the process that made it.
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Value] = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    resource: Mapping[str, Value] = field(default_factory=dict)
    scope: Scope = Scope()
    failed: bool = False
