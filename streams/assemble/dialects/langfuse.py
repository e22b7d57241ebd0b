"""Langfuse's SDK: observations, each with the JSON of its input and its output.

Of a decorated function the input is its arguments, and names and shapes are the application's.
"""

from dataclasses import replace

from streams.assemble.content.values import first, whichever
from streams.assemble.dialect import Role, role_of
from streams.assemble.recorded import recorded
from streams.assemble.span import Span

NAME = "langfuse"

_TYPE = "langfuse.observation.type"
_INPUTS = ("langfuse.observation.input", "langfuse.trace.input")
_OUTPUTS = ("langfuse.observation.output", "langfuse.trace.output")
_OWN = frozenset({_TYPE, *_INPUTS, *_OUTPUTS})
_ROLES: dict[str, Role] = {
    "generation": "model",
    "retriever": "retriever",
    "tool": "tool",
    "span": "chain",
    "chain": "chain",
    "agent": "agent",
}


def speaks(span: Span) -> bool:
    """Say whether it is an observation: names and labels of a trace stand on anybody's spans."""
    return not _OWN.isdisjoint(span.attributes)


def role(span: Span) -> Role:
    """Return what the observation's type says. Without one it is a step."""
    return role_of(span.attributes.get(_TYPE, "span"), _ROLES)


DIALECT = replace(
    recorded(
        name=NAME,
        speaks=speaks,
        role=role,
        given=whichever(*_INPUTS),
        gave=whichever(*_OUTPUTS),
        session=first("session.id", "langfuse.session.id"),
        model=first(
            "langfuse.observation.model.name", "gen_ai.response.model", "gen_ai.request.model"
        ),
        response=first("gen_ai.response.id"),
    ),
    environment=first("langfuse.environment"),
    prompt_version=first("langfuse.observation.prompt.version"),
)
