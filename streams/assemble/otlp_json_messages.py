"""The messages of OTLP as JSON has them: every member may be absent, and null is absent too."""

import msgspec

Whole = int | float | str
"""A whole number in any of the ways that JSON may have it."""


class _Message(msgspec.Struct, rename="camel", gc=False):
    """A message of OTLP: keys that it does not name are passed over."""


class AnyValue(_Message):
    """A value: the first member that is there says what it is."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Whole | None = None
    double_value: float | str | None = None
    array_value: "ArrayValue | None" = None
    kvlist_value: "KeyValueList | None" = None
    bytes_value: str | None = None


class KeyValue(_Message):
    """An attribute, or a member of a map."""

    key: str | None = None
    value: AnyValue | None = None


class ArrayValue(_Message):
    """The items of a value that is a list."""

    values: list[AnyValue | None] | None = None


class KeyValueList(_Message):
    """The members of a value that is a map."""

    values: list[KeyValue] | None = None


class Event(_Message):
    """An event of a span."""

    name: str | None = None
    time_unix_nano: Whole | None = None
    attributes: list[KeyValue] | None = None


class Status(_Message):
    """How a span ended: an enum's number or its name."""

    code: int | str | None = None


class Span(_Message):
    """A span as it was written."""

    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    start_time_unix_nano: Whole | None = None
    end_time_unix_nano: Whole | None = None
    attributes: list[KeyValue] | None = None
    events: list[Event] | None = None
    status: Status | None = None


class Scope(_Message):
    """Who made the spans."""

    name: str | None = None
    version: str | None = None


class ScopeSpans(_Message):
    """The spans of one scope."""

    scope: Scope | None = None
    spans: list[Span] | None = None


class Resource(_Message):
    """The process that the spans are from."""

    attributes: list[KeyValue] | None = None


class ResourceSpans(_Message):
    """The spans of one process."""

    resource: Resource | None = None
    scope_spans: list[ScopeSpans] | None = None


class Batch(_Message):
    """All of a record."""

    resource_spans: list[ResourceSpans] | None = None
