"""LangSmith's OpenTelemetry mode: runs, each with the JSON of its inputs and outputs.

The names are those of the conventions and what they hold is not: a run's kind is told by
`langsmith.span.kind` alone, since its operation calls a retriever `embeddings`.
"""

from collections.abc import Mapping

from streams.assemble.content.messages import Message, messages
from streams.assemble.content.passages import Found, documents
from streams.assemble.content.values import first, parsed
from streams.assemble.content.wording import answer_in, passages_given, question_in
from streams.assemble.dialect import Dialect, Role
from streams.assemble.span import Span, Value

NAME = "langsmith"

_KIND = "langsmith.span.kind"
_INPUTS, _OUTPUTS = "gen_ai.prompt", "gen_ai.completion"
_ROLES: dict[str, Role] = {
    "llm": "model",
    "retriever": "retriever",
    "tool": "tool",
    "chain": "chain",
    "prompt": "chain",
}


def speaks(span: Span) -> bool:
    """Say whether it is a run."""
    return _KIND in span.attributes


def role(span: Span) -> Role:
    """Return what the run's kind says."""
    kind = span.attributes.get(_KIND)
    return _ROLES.get(kind.lower(), "other") if isinstance(kind, str) else "other"


def asked(span: Span) -> str | None:
    """Return the question in a run's inputs."""
    return question_in(span.attributes.get(_INPUTS))


def answered(span: Span) -> str | None:
    """Return the answer in a run's outputs."""
    said = _said(span)
    return said[-1].text if said else answer_in(span.attributes.get(_OUTPUTS))


def _said(span: Span) -> list[Message]:
    """Return a model's last message: OpenAI's choices, or LangChain's generations."""
    outputs = parsed(span.attributes.get(_OUTPUTS))
    if isinstance(outputs, Mapping) and "generations" in outputs:
        return messages(outputs["generations"])
    return messages(outputs)


def found(span: Span) -> list[Found] | None:
    """Return what a retriever gave back, or a tool's documents."""
    return documents(span.attributes.get(_OUTPUTS), texts=role(span) == "retriever")


def given(span: Span) -> list[Found] | None:
    """Return the passages in a run's inputs."""
    return passages_given(span.attributes.get(_INPUTS))


def heard(span: Span) -> list[Message]:
    """Return the messages that a model was given."""
    return messages(span.attributes.get(_INPUTS))


def waits(span: Span) -> bool:
    """Say whether the model asked for a tool's work."""
    said = _said(span)
    return bool(said) and said[-1].calls


def result(span: Span) -> Value:
    """Return what a tool gave back."""
    outputs = parsed(span.attributes.get(_OUTPUTS))
    return outputs.get("output", outputs) if isinstance(outputs, Mapping) else outputs


DIALECT = Dialect(
    name=NAME,
    speaks=speaks,
    role=role,
    asked=asked,
    answered=answered,
    found=found,
    given=given,
    heard=heard,
    waits=waits,
    result=result,
    session=first("langsmith.metadata.session_id", "langsmith.metadata.thread_id"),
    model=first(
        "gen_ai.response.model", "gen_ai.request.model", "langsmith.metadata.ls_model_name"
    ),
    response=first("gen_ai.response.id"),
)
