"""OpenInference: its instrumentation of LangChain, LlamaIndex, Haystack, DSPy, and rerankers.

Every step is a span whose kind says what it is. LangChain's retrievers lose the ids of documents
but for a dump of their output; Haystack calls a prompt builder an LLM.
"""

from collections.abc import Callable, Mapping, Sequence

from streams.assemble.content.messages import Message, flattened
from streams.assemble.content.passages import RetrievedDocument, document, documents
from streams.assemble.content.values import first, holds_list, indexed, structured, text
from streams.assemble.content.wording import (
    answer_in,
    passages_given,
    question_in,
    response_id_in,
    spoken,
)
from streams.assemble.dialect import Dialect, Role, role_of
from streams.assemble.span import Span, Value

NAME = "openinference"

_KIND = "openinference.span.kind"
_SCOPE = "openinference.instrumentation"
_ROLES: dict[str, Role] = {
    "llm": "model",
    "retriever": "retriever",
    "reranker": "reranker",
    "tool": "tool",
    "chain": "chain",
    "agent": "agent",
    "prompt": "chain",
}
_SIGNS = ("llm.output_messages.", "llm.token_count.", "llm.model_name", "llm.response")
"""A model was called if one of these is there: a prompt's template has none of them."""


def speaks(span: Span) -> bool:
    """Say whether the span has a kind, or is from one of the instrumentations."""
    return _KIND in span.attributes or span.scope.name.startswith(_SCOPE)


def role(span: Span) -> Role:
    """Return what the kind says, but for a model's call that called no model."""
    kind = span.attributes.get(_KIND)
    known = role_of(kind, _ROLES) if isinstance(kind, str) else "model"
    if known != "model" or any(key.startswith(_SIGNS) for key in span.attributes):
        return known
    return "other" if kind is None else "chain"


def asked(span: Span) -> str | None:
    """Return the question in what a step was given; of a reranker, its query."""
    query = text(span.attributes.get("reranker.query"))
    return query or _worded(span, "input", question_in)


def _worded(span: Span, side: str, read: Callable[[Value], str | None]) -> str | None:
    """Return the words in what went in or came out. A plain text may look like JSON."""
    plain = span.attributes.get(f"{side}.mime_type") == "text/plain"
    return (text if plain else read)(span.attributes.get(f"{side}.value"))


def said(span: Span) -> Message | None:
    """Return a model's last message, or what a step gave back."""
    messages = indexed(span.attributes, "llm.output_messages")
    if messages:
        return flattened(messages[-1:], prefix="message.")[0]
    return spoken(_worded(span, "output", answer_in))


def heard(span: Span) -> list[Message]:
    """Return the messages that a model was given, or its one prompt as a user's message."""
    listed = indexed(span.attributes, "llm.input_messages")
    if listed:
        return flattened(listed, prefix="message.")
    prompts = span.attributes.get("llm.prompts")
    if not holds_list(prompts):
        prompts = [item.get("prompt.text") for item in indexed(span.attributes, "llm.prompts")]
    return [Message("user", words) for prompt in prompts if (words := text(prompt)) is not None]


def found(span: Span) -> list[RetrievedDocument] | None:
    """Return the documents that were retrieved, or that a reranker kept, or a tool's."""
    kind = role(span)
    output = span.attributes.get("output.value")
    if kind == "reranker":
        return _documents(indexed(span.attributes, "reranker.output_documents"))
    if kind == "tool":
        return documents(output)
    listed = indexed(span.attributes, "retrieval.documents")
    if any("document.id" in item for item in listed):
        return _documents(listed)
    texts = [item.get("document.content") for item in listed]
    dumped = documents(output)
    if not listed or (dumped is not None and [one.text for one in dumped] == texts):
        return dumped
    return _documents(listed)


def _documents(listed: Sequence[Mapping[str, Value]]) -> list[RetrievedDocument] | None:
    return [one for item in listed if (one := document(_document(item))) is not None] or None


def _document(item: Mapping[str, Value]) -> Mapping[str, Value]:
    start = "document."
    return {key.removeprefix(start): value for key, value in item.items() if key.startswith(start)}


def given(span: Span) -> list[RetrievedDocument] | None:
    """Return the passages in a step's inputs, or among the variables of its prompt."""
    for name in ("input.value", "llm.prompt_template.variables"):
        if found := passages_given(span.attributes.get(name)):
            return found
    return None


_response = first("gen_ai.response.id", "llm.response.id")


def response(span: Span) -> str | None:
    """Return the response's id, which may stand in a dump of it alone."""
    return _response(span) or response_id_in(span.attributes.get("output.value"))


DIALECT = Dialect(
    name=NAME,
    speaks=speaks,
    role=role,
    asked=asked,
    said=said,
    found=found,
    given=given,
    heard=heard,
    result=structured("output.value"),
    session=first("session.id"),
    model=first("llm.model_name"),
    response=response,
    prompt_version=first("llm.prompt_template.version"),
)
