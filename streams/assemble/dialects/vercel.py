"""Vercel's AI SDK: an outer span for each call of a function, inner ones for each call of a model.

Both repeat the answer. There is no retriever: what was retrieved is the result of a tool.
"""

from streams.assemble.content.messages import Message, messages
from streams.assemble.content.passages import RetrievedDocument, documents
from streams.assemble.content.values import first, parsed, structured, text
from streams.assemble.content.wording import answer_in, question_in, spoken
from streams.assemble.dialect import Dialect, Role
from streams.assemble.span import Span

NAME = "vercel"

_OPERATION = "ai.operationId"
_TOOL = "ai.toolCall"
_OUTER = frozenset({"ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"})
_INNER = (".doGenerate", ".doStream")
_TEXTS = ("ai.response.text", "ai.result.text")
_OBJECTS = ("ai.response.object", "ai.result.object")
_CALLS = ("ai.response.toolCalls", "ai.result.toolCalls")


def speaks(span: Span) -> bool:
    """Say whether the SDK named the operation."""
    return _OPERATION in span.attributes


def role(span: Span) -> Role:
    """Return what the operation is."""
    operation = span.attributes.get(_OPERATION)
    if not isinstance(operation, str):
        return "other"
    if operation == _TOOL:
        return "tool"
    if operation in _OUTER:
        return "agent"
    whole = operation.removesuffix(_INNER[0]).removesuffix(_INNER[1])
    return "model" if whole in _OUTER else "other"


def asked(span: Span) -> str | None:
    """Return the prompt of an outer span, or the user's last message in it."""
    return question_in(span.attributes.get("ai.prompt"))


def said(span: Span) -> Message | None:
    """Return the text of the response, or of the object that was asked for."""
    attributes = span.attributes
    texts = (text(attributes.get(name)) for name in _TEXTS)
    objects = (answer_in(attributes.get(name)) for name in _OBJECTS)
    words = next((words for words in (*texts, *objects) if words is not None), None)
    if any(parsed(attributes.get(name)) for name in _CALLS):
        return Message("assistant", words, calls=True)
    return spoken(words)


def found(span: Span) -> list[RetrievedDocument] | None:
    """Return a tool's documents."""
    return documents(span.attributes.get("ai.toolCall.result"))


def heard(span: Span) -> list[Message]:
    """Return the messages that a model was given."""
    listed = span.attributes.get("ai.prompt.messages", span.attributes.get("ai.prompt"))
    return messages(listed)


DIALECT = Dialect(
    name=NAME,
    speaks=speaks,
    role=role,
    asked=asked,
    said=said,
    found=found,
    heard=heard,
    result=structured("ai.toolCall.result"),
    session=first("ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.chatId"),
    model=first("ai.response.model", "gen_ai.response.model", "ai.model.id"),
    response=first("ai.response.id", "gen_ai.response.id"),
)
