"""Spans made by hand, one line each: seconds for times, numbers for ids."""

from collections.abc import Mapping

from streams.assemble.span import Scope, Span, SpanEvent, Value

TRACE = "0af7651916cd43dd8448eb211c80319c"


def span(
    number: int,
    parent: int | None = None,
    *,
    at: float = 0,
    ends: float | None = None,
    name: str = "step",
    scope: str = "",
    service: str = "shop",
    events: tuple[SpanEvent, ...] = (),
    attributes: Mapping[str, Value] | None = None,
) -> Span:
    """Return a span of the one trace, a second long."""
    return Span(
        trace_id=TRACE,
        span_id=an_id(number),
        parent_id=None if parent is None else an_id(parent),
        name=name,
        start_ns=int(at * 1e9),
        end_ns=int((at + 1 if ends is None else ends) * 1e9),
        attributes=attributes or {},
        events=events,
        resource={"service.name": service},
        scope=Scope(scope),
    )


def an_id(number: int) -> str:
    """Return a span's id."""
    return f"{number:016x}"


def retrieval(number: int, parent: int | None, *, at: float, text: str = "Open at ten.") -> Span:
    """Return a retriever's span with one document, `kb-1`."""
    return span(
        number,
        parent,
        at=at,
        attributes={
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.documents": [{"id": "kb-1", "content": text}],
        },
    )


def chat(
    number: int,
    parent: int | None,
    *,
    at: float,
    says: str | None = "At ten.",
    asked: str | None = "When?",
    calls: bool = False,
) -> Span:
    """Return the span of a model's call."""
    parts: list[Value] = [] if says is None else [{"type": "text", "content": says}]
    if calls:
        parts.append({"type": "tool_call", "name": "look"})
    said: list[Value] = [{"role": "assistant", "parts": parts}]
    told: list[Value] = [{"role": "user", "parts": [{"type": "text", "content": asked}]}]
    return span(
        number,
        parent,
        at=at,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": told,
            "gen_ai.output.messages": said,
        },
    )


def step(
    number: int,
    parent: int | None,
    *,
    at: float,
    ends: float,
    asked: str | None = None,
    says: str | None = None,
) -> Span:
    """Return the span of a step that other steps are within."""
    words: dict[str, Value] = {"input.value": asked, "output.value": says}
    said = {name: value for name, value in words.items() if value is not None}
    attributes = {"openinference.span.kind": "CHAIN", **said}
    return span(number, parent, at=at, ends=ends, attributes=attributes)
