"""Traceloop's OpenLLMetry: steps as entities with a JSON of their input and output.

A model's call is written in OpenTelemetry's own conventions, whichever were current. A retriever
of LangChain loses its documents' ids; vector databases write each hit as an event.
"""

from streams.assemble.content.messages import Message
from streams.assemble.content.passages import RetrievedDocument, document, documents
from streams.assemble.content.values import first
from streams.assemble.content.wording import (
    answer_in,
    passages_given,
    question_in,
    result_in,
    spoken,
)
from streams.assemble.dialect import RETRIEVING, Dialect, Role, role_of
from streams.assemble.dialects import genai
from streams.assemble.span import Span

NAME = "traceloop"

_HITS = {"db.query.result": "db.query.result.", "db.search.result": "db.search.result."}
_ENTITY_INPUT, _ENTITY_OUTPUT = "traceloop.entity.input", "traceloop.entity.output"
_ROLES: dict[str, Role] = {
    "workflow": "chain",
    "agent": "agent",
    "task": "chain",
    "tool": "tool",
}
_REQUESTS: dict[str, Role] = {
    "chat": "model",
    "completion": "model",
    "embedding": "other",
    "rerank": "reranker",
}


def speaks(span: Span) -> bool:
    """Say whether it is an entity, an older model's call, or a search of a vector database."""
    return (
        any(name.startswith("traceloop.") for name in span.attributes)
        or "llm.request.type" in span.attributes
        or any(event.name in _HITS for event in span.events)
    )


def role(span: Span) -> Role:
    """Return what the entity's kind says, or what kind of call was made."""
    attributes = span.attributes
    if attributes.get("gen_ai.operation.name") == "vector_db_retrieve" or any(
        event.name in _HITS for event in span.events
    ):
        return "retriever"
    kind = attributes.get("traceloop.span.kind")
    if kind is not None:
        return role_of(kind, _ROLES)
    request = attributes.get("llm.request.type")
    return role_of(request, _REQUESTS) if isinstance(request, str) else genai.role(span)


def asked(span: Span) -> str | None:
    """Return the question in an entity's input."""
    return question_in(span.attributes.get(_ENTITY_INPUT)) or genai.asked(span)


def said(span: Span) -> Message | None:
    """Return what an entity gave back, or a model said."""
    if _ENTITY_OUTPUT in span.attributes:
        return spoken(answer_in(span.attributes[_ENTITY_OUTPUT]))
    return genai.said(span)


def found(span: Span) -> list[RetrievedDocument] | None:
    """Return the hits of a search, or the documents of an entity's output."""
    hits = [
        {name.removeprefix(prefix): value for name, value in event.attributes.items()}
        for event in span.events
        if (prefix := _HITS.get(event.name)) is not None
    ]
    if hits:
        return [one for hit in hits if (one := document(hit)) is not None] or None
    listed = role(span) in RETRIEVING
    return documents(span.attributes.get(_ENTITY_OUTPUT), texts=listed)


def given(span: Span) -> list[RetrievedDocument] | None:
    """Return the passages in an entity's input."""
    return passages_given(span.attributes.get(_ENTITY_INPUT))


def model(span: Span) -> str | None:
    """Return the model's name, where it is known to the instrumentation."""
    named = genai.model(span)
    return None if named == "unknown" else named


_session = first(
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
    "gen_ai.conversation.id",
    "session.id",
)


DIALECT = Dialect(
    name=NAME,
    speaks=speaks,
    role=role,
    asked=asked,
    said=said,
    found=found,
    given=given,
    heard=genai.heard,
    result=lambda span: result_in(span.attributes.get(_ENTITY_OUTPUT)),
    session=_session,
    model=model,
    response=genai.response,
    prompt_version=first("traceloop.prompt.version"),
)
