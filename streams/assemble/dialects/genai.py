"""OpenTelemetry's own conventions for generative AI, in all the generations that are about.

Content is written only on request: spans without any text are the rule. A retrieved document's
text is not part of the conventions either, so that it is there only where the application adds it.
"""

import re

from streams.assemble.content.messages import Message, flattened, messages
from streams.assemble.content.passages import RetrievedDocument, documents
from streams.assemble.content.values import (
    among,
    first,
    holds_list,
    indexed,
    parsed,
    structured,
    text,
)
from streams.assemble.content.wording import reply_in
from streams.assemble.dialect import Dialect, Role
from streams.assemble.span import Span, Value

NAME = "genai"

_ROLES: dict[str, Role] = {
    "chat": "model",
    "generate_content": "model",
    "text_completion": "model",
    "completion": "model",
    "embeddings": "other",
    "retrieval": "retriever",
    "rerank": "reranker",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "invoke_workflow": "chain",
    "plan": "chain",
    "create_agent": "other",
}
_PROMPT_EVENTS = frozenset(
    f"gen_ai.{role}.message" for role in ("system", "user", "assistant", "tool")
)
_CHOICE = "gen_ai.choice"
_DETAILS = "gen_ai.client.inference.operation.details"
_ASKS_TOOL = frozenset({"tool_calls", "tool_call", "tool_use", "function_call", "tool-calls"})
_SPOKEN = re.compile(r"^(system|user|assistant|tool): ", re.MULTILINE)


def speaks(span: Span) -> bool:
    """Say whether anything of the conventions is on the span or in its events."""
    return any(name.startswith("gen_ai.") for name in span.attributes) or any(
        event.name.startswith("gen_ai.") for event in span.events
    )


def role(span: Span) -> Role:
    """Return what the operation does; without one, what the attributes are about."""
    attributes = span.attributes
    operation = attributes.get("gen_ai.operation.name")
    if isinstance(operation, str) and operation in _ROLES:
        return _ROLES[operation]
    if "gen_ai.tool.name" in attributes:
        return "tool"
    if "gen_ai.retrieval.documents" in attributes or "gen_ai.retrieval.query.text" in attributes:
        return "retriever"
    if operation is None and (model(span) is not None or said(span)):
        return "model"
    return "other"


def heard(span: Span) -> list[Message]:
    """Return what a model was given, as messages, events, a flattened list or one text."""
    listed = _content(span, "gen_ai.input.messages")
    if listed is not None:
        return [*_instructions(span), *messages(listed)]
    if events := [event for event in span.events if event.name in _PROMPT_EVENTS]:
        return messages([{"role": event.name, **event.attributes} for event in events])
    if flat := indexed(span.attributes, "gen_ai.prompt"):
        return flattened(flat)
    return _one_text(_content(span, "gen_ai.prompt"))


def _instructions(span: Span) -> list[Message]:
    parts = parsed(_content(span, "gen_ai.system_instructions"))
    return messages([{"role": "system", "parts": parts}]) if holds_list(parts) else []


def _one_text(prompt: Value) -> list[Message]:
    """Return the messages of a prompt in one text, where each may begin with who says it."""
    found = messages(prompt)
    words = text(prompt)
    if found or words is None:
        return found
    turns = list(_SPOKEN.finditer(words))
    if not turns or turns[0].start() > 0:
        return [Message("user", words)]
    ends = [*(turn.start() for turn in turns[1:]), len(words)]
    return [
        Message(turn[1], text(words[turn.end() : end].rstrip("\n")))
        for turn, end in zip(turns, ends, strict=True)
    ]


def said(span: Span) -> Message | None:
    """Return what a model said, or an agent gave back. A model may say why it stopped alone."""
    spoke = _spoke(span)
    reasons = parsed(span.attributes.get("gen_ai.response.finish_reasons"))
    if holds_list(reasons) and any(among(reason, _ASKS_TOOL) for reason in reasons):
        return Message("assistant", spoke.text if spoke else None, calls=True)
    return spoke


def _spoke(span: Span) -> Message | None:
    listed = _content(span, "gen_ai.output.messages")
    if listed is not None:
        return next(reversed(messages(listed)), None)
    for event in span.events:
        if event.name == _CHOICE:
            choice = parsed(event.attributes.get("message", event.attributes))
            spoke = messages({"role": "assistant", **choice} if isinstance(choice, dict) else None)
            return next(iter(spoke), None)
    if flat := indexed(span.attributes, "gen_ai.completion"):
        return flattened(flat[:1])[0]
    completion = parsed(_content(span, "gen_ai.completion"))
    return reply_in(completion)


def _content(span: Span, name: str) -> Value:
    """Return an attribute, which an event of the span may carry in its place."""
    if name in span.attributes:
        return span.attributes[name]
    for event in span.events:
        if name in event.attributes and event.name.startswith(("gen_ai.content.", _DETAILS)):
            return event.attributes[name]
    return None


def found(span: Span) -> list[RetrievedDocument] | None:
    """Return what was retrieved, where its text was written; or what a tool found."""
    name = "gen_ai.tool.call.result" if role(span) == "tool" else "gen_ai.retrieval.documents"
    return documents(span.attributes.get(name))


def asked(span: Span) -> str | None:
    """Return a retriever's query, or the last that an agent was told by its user."""
    if (query := text(span.attributes.get("gen_ai.retrieval.query.text"))) is not None:
        return query
    told = [message.text for message in heard(span) if message.role == "user" and message.text]
    return told[-1] if told else None


model = first("gen_ai.response.model", "gen_ai.request.model")
session = first("gen_ai.conversation.id", "session.id")
response = first("gen_ai.response.id")


DIALECT = Dialect(
    name=NAME,
    speaks=speaks,
    role=role,
    asked=asked,
    said=said,
    found=found,
    heard=heard,
    result=structured("gen_ai.tool.call.result"),
    session=session,
    model=model,
    response=response,
)
