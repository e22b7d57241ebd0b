"""About how many bytes of memory spans take: the bounds of the buffer are in these."""

from collections.abc import Mapping

from streams.assemble.span import Span, Value

_SPAN = 800
"""The object, its ids and its place in the buffer."""
_PAIR = 100
"""A name, which is often shared, and the slot of a value."""


def weight(span: Span) -> int:
    """Return a span's bytes, roughly, without those of its resource, which others share."""
    bytes_ = _SPAN + _of_members(span.attributes)
    for event in span.events:
        bytes_ += _SPAN // 4 + _of_members(event.attributes)
    return bytes_


def weight_of_resource(span: Span) -> int:
    """Return the bytes of what a span's process says of itself: often more than the span."""
    return _of_members(span.resource)


def _of_members(members: Mapping[str, Value]) -> int:
    bytes_ = _PAIR * len(members)
    for value in members.values():  # this runs for every span, and nearly all of it is text
        bytes_ += value.__sizeof__() if value.__class__ is str else _of(value)
    return bytes_


def _of(value: Value) -> int:
    if isinstance(value, str | bytes):
        return value.__sizeof__()  # one emoji makes each character of a text take four
    if isinstance(value, Mapping):
        return _of_members(value)
    if value is None or isinstance(value, bool | int | float):
        return 0
    return _PAIR * len(value) + sum(map(_of, value))
