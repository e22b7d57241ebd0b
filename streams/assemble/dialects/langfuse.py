"""Langfuse's SDK: observations, each with the JSON of its input and its output.

Of a decorated function the input is its arguments, and names and shapes are the application's.
"""

from streams.assemble.content.messages import Message, messages
from streams.assemble.content.passages import Found, documents
from streams.assemble.content.values import first, parsed, text
from streams.assemble.content.wording import answer_in, passages_given, question_in
from streams.assemble.dialect import Dialect, Role
from streams.assemble.span import Span, Value

NAME = "langfuse"

_TYPE = "langfuse.observation.type"
_INPUT, _OUTPUT = "langfuse.observation.input", "langfuse.observation.output"
_TRACE_INPUT, _TRACE_OUTPUT = "langfuse.trace.input", "langfuse.trace.output"
_OWN = (_TYPE, _INPUT, _OUTPUT, _TRACE_INPUT, _TRACE_OUTPUT)
_ROLES: dict[str, Role] = {
    "generation": "model",
    "retriever": "retriever",
    "tool": "tool",
    "span": "chain",
    "chain": "chain",
    "agent": "chain",
}


def speaks(span: Span) -> bool:
    """Say whether it is an observation: names and labels of a trace stand on anybody's spans."""
    return any(name in span.attributes for name in _OWN)


def role(span: Span) -> Role:
    """Return what the observation's type says. Without one it is a step."""
    kind = span.attributes.get(_TYPE, "span")
    return _ROLES.get(kind.lower(), "other") if isinstance(kind, str) else "other"


def asked(span: Span) -> str | None:
    """Return the question in a step's input, or else in the whole trace's."""
    for name in (_INPUT, _TRACE_INPUT):
        if (question := question_in(span.attributes.get(name))) is not None:
            return question
    return None


def answered(span: Span) -> str | None:
    """Return the answer in what a step or a model gave back, or else the whole trace."""
    for name in (_OUTPUT, _TRACE_OUTPUT):
        value = span.attributes.get(name)
        if (answer := _spoken(value) or answer_in(value)) is not None:
            return answer
    return None


def _spoken(value: Value) -> str | None:
    said = messages(value)
    return said[-1].text if said and not said[-1].calls else None


def found(span: Span) -> list[Found] | None:
    """Return what a retriever gave back, or a tool's documents."""
    return documents(span.attributes.get(_OUTPUT), texts=role(span) == "retriever")


def given(span: Span) -> list[Found] | None:
    """Return the passages in a step's input."""
    return passages_given(span.attributes.get(_INPUT))


def heard(span: Span) -> list[Message]:
    """Return the messages in a model's input; a text of its own is the user's."""
    value = span.attributes.get(_INPUT)
    found = messages(value)
    if found or isinstance(parsed(value), dict | list) or (words := text(value)) is None:
        return found
    return [Message("user", words)]


def waits(span: Span) -> bool:
    """Say whether the model asked for a tool's work."""
    said = messages(span.attributes.get(_OUTPUT))
    return bool(said) and said[-1].calls


def result(span: Span) -> Value:
    """Return what a tool gave back."""
    return parsed(span.attributes.get(_OUTPUT))


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
    session=first("session.id", "langfuse.session.id"),
    model=first("langfuse.observation.model.name", "gen_ai.response.model", "gen_ai.request.model"),
    response=first("gen_ai.response.id"),
    environment=first("langfuse.environment"),
    prompt_version=first("langfuse.observation.prompt.version"),
)
