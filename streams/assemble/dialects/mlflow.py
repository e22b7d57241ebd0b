"""MLflow's tracing: every value is written as JSON, names and texts too, in quotes."""

from collections.abc import Mapping

from streams.assemble.content.messages import Message, messages
from streams.assemble.content.passages import Found, documents
from streams.assemble.content.values import decoded, text
from streams.assemble.content.wording import answer_in, passages_given, question_in
from streams.assemble.dialect import Dialect, Reader, Role
from streams.assemble.span import Span, Value

NAME = "mlflow"

_TYPE = "mlflow.spanType"
_INPUTS, _OUTPUTS = "mlflow.spanInputs", "mlflow.spanOutputs"
_ROLES: dict[str, Role] = {
    "CHAT_MODEL": "model",
    "LLM": "model",
    "RETRIEVER": "retriever",
    "RERANKER": "reranker",
    "TOOL": "tool",
    "CHAIN": "chain",
    "AGENT": "chain",
    "WORKFLOW": "chain",
    "TASK": "chain",
    "UNKNOWN": "chain",
}


def speaks(span: Span) -> bool:
    """Say whether MLflow gave the span a type."""
    return _TYPE in span.attributes


def role(span: Span) -> Role:
    """Return what the span's type says. A plain function's is unknown, which is a step."""
    kind = decoded(span.attributes.get(_TYPE))
    return _ROLES.get(kind.upper(), "other") if isinstance(kind, str) else "other"


def _inputs(span: Span) -> Value:
    return decoded(span.attributes.get(_INPUTS))


def _outputs(span: Span) -> Value:
    return decoded(span.attributes.get(_OUTPUTS))


def asked(span: Span) -> str | None:
    """Return the question in a function's arguments."""
    return question_in(_inputs(span))


def answered(span: Span) -> str | None:
    """Return the answer in a function's result, or what a model said."""
    said = messages(_outputs(span))
    return said[-1].text if said else answer_in(_outputs(span))


def found(span: Span) -> list[Found] | None:
    """Return what a retriever gave back, or a tool's documents."""
    return documents(_outputs(span), texts=role(span) in ("retriever", "reranker"))


def given(span: Span) -> list[Found] | None:
    """Return the passages in a function's arguments."""
    return passages_given(_inputs(span))


def heard(span: Span) -> list[Message]:
    """Return the messages that a model was given."""
    return messages(_inputs(span))


def waits(span: Span) -> bool:
    """Say whether the model asked for a tool's work."""
    said = messages(_outputs(span))
    return bool(said) and said[-1].calls


def _first(*names: str) -> Reader[str]:
    def read(span: Span) -> str | None:
        values = (text(decoded(span.attributes.get(name))) for name in names)
        return next((value for value in values if value is not None), None)

    return read


_named_model = _first("mlflow.llm.model", "mlflow.chat.model")


def model(span: Span) -> str | None:
    """Return the model's name, which may stand in the response alone."""
    return _named_model(span) or _member(_outputs(span), "model") or _member(_inputs(span), "model")


def response(span: Span) -> str | None:
    """Return the id in a model's response."""
    outputs = _outputs(span)
    return _member(outputs, "id") if isinstance(outputs, Mapping) and "choices" in outputs else None


def _member(value: Value, name: str) -> str | None:
    return text(value.get(name)) if isinstance(value, Mapping) else None


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
    result=_outputs,
    session=_first("mlflow.trace.session", "session.id"),
    model=model,
    response=response,
)
