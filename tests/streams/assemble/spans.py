"""Spans made for tests: small, and told apart by their numbers."""

from collections.abc import Mapping

from streams.assemble.span import Span, Value

SECOND_NS = 1_000_000_000


def trace_id(number: int) -> str:
    return f"{number + 1:032x}"


def a_span(
    trace: int = 0,
    number: int = 0,
    *,
    root: bool = False,
    start: int = 0,
    end: int | None = None,
    attributes: Mapping[str, Value] | None = None,
    resource: Mapping[str, Value] | None = None,
) -> Span:
    """Return span `number` of a trace: a child of span 0, or the root. Times in seconds."""
    return Span(
        trace_id(trace),
        f"{number + 1:016x}",
        None if root else f"{1:016x}",
        f"span {number}",
        start * SECOND_NS,
        (start if end is None else end) * SECOND_NS,
        attributes or {},
        resource=resource or {},
    )


def a_whole_trace(trace: int, size: int) -> list[Span]:
    """Return a trace of a root and its children."""
    return [a_span(trace, n, root=n == 0, start=n) for n in range(size)]
