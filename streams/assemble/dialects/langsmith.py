"""LangSmith's OpenTelemetry mode: runs, each with the JSON of its inputs and outputs.

The names are those of the conventions and what they hold is not: a run's kind is told by
`langsmith.span.kind` alone, since its operation calls a retriever `embeddings`.
"""

from streams.assemble.content.values import first
from streams.assemble.dialect import Role, role_of
from streams.assemble.recorded import recorded
from streams.assemble.span import Span

NAME = "langsmith"

_KIND = "langsmith.span.kind"
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
    return role_of(span.attributes.get(_KIND), _ROLES)


DIALECT = recorded(
    name=NAME,
    speaks=speaks,
    role=role,
    given=lambda span: span.attributes.get("gen_ai.prompt"),
    gave=lambda span: span.attributes.get("gen_ai.completion"),
    session=first("langsmith.metadata.session_id", "langsmith.metadata.thread_id"),
    model=first(
        "gen_ai.response.model", "gen_ai.request.model", "langsmith.metadata.ls_model_name"
    ),
    response=first("gen_ai.response.id"),
)
