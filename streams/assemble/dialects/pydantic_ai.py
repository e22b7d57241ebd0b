"""Pydantic AI: an agent's run with all its messages, on top of OpenTelemetry's conventions."""

from streams.assemble.content.messages import Message, messages
from streams.assemble.content.passages import RetrievedDocument, documents
from streams.assemble.content.values import first, structured, text
from streams.assemble.content.wording import answer_in, spoken
from streams.assemble.dialect import Dialect, Role
from streams.assemble.dialects import genai
from streams.assemble.span import Span

NAME = "pydantic_ai"

_SCOPE = "pydantic-ai"
_ALL = ("pydantic_ai.all_messages", "all_messages_events")
_NEW = "pydantic_ai.new_message_index"
_result = structured("gen_ai.tool.call.result", "tool_response")


def speaks(span: Span) -> bool:
    """Say whether the library made the span."""
    return span.scope.name == _SCOPE


def role(span: Span) -> Role:
    """Return what the operation does; older runs and tools have no operation."""
    attributes = span.attributes
    if "gen_ai.operation.name" not in attributes:
        if any(name in attributes for name in _ALL) or "final_result" in attributes:
            return "agent"
        if "tool_response" in attributes:
            return "tool"
    return genai.role(span)


def asked(span: Span) -> str | None:
    """Return what the user asked in this run: the messages of earlier runs come before."""
    start = span.attributes.get(_NEW)
    told = _all(span)[start if isinstance(start, int) and start > 0 else 0 :]
    asked = (message.text for message in told if message.role == "user" and message.text)
    return next(asked, None)


def _all(span: Span) -> list[Message]:
    return next((found for name in _ALL if (found := messages(span.attributes.get(name)))), [])


def said(span: Span) -> Message | None:
    """Return a run's result, or what a model said."""
    if "final_result" in span.attributes:
        value = span.attributes["final_result"]
        return spoken(answer_in(value) or text(value))
    return genai.said(span)


def found(span: Span) -> list[RetrievedDocument] | None:
    """Return a tool's documents."""
    return documents(_result(span)) if role(span) == "tool" else genai.found(span)


def heard(span: Span) -> list[Message]:
    """Return what a model was given; older spans keep it with the answer, in one list."""
    told = genai.heard(span)
    if told:
        return told
    return [message for message in messages(span.attributes.get("events")) if message.role]


DIALECT = Dialect(
    name=NAME,
    speaks=speaks,
    role=role,
    asked=asked,
    said=said,
    found=found,
    heard=heard,
    result=_result,
    session=genai.session,
    model=first("gen_ai.response.model", "gen_ai.request.model", "model_name"),
    response=genai.response,
)
