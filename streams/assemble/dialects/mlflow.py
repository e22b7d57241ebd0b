"""MLflow's tracing: every value is written as JSON, names and texts too, in quotes."""

from streams.assemble.content.values import decoded, text
from streams.assemble.dialect import Reader, Role, role_of
from streams.assemble.recorded import recorded
from streams.assemble.span import Span, Value

NAME = "mlflow"

_TYPE = "mlflow.spanType"
_ROLES: dict[str, Role] = {
    "chat_model": "model",
    "llm": "model",
    "retriever": "retriever",
    "reranker": "reranker",
    "tool": "tool",
    "chain": "chain",
    "agent": "agent",
    "workflow": "chain",
    "task": "chain",
    "unknown": "chain",
}


def speaks(span: Span) -> bool:
    """Say whether MLflow gave the span a type."""
    return _TYPE in span.attributes


def role(span: Span) -> Role:
    """Return what the span's type says. A plain function's is unknown, which is a step."""
    return role_of(decoded(span.attributes.get(_TYPE)), _ROLES)


def _given(span: Span) -> Value:
    return decoded(span.attributes.get("mlflow.spanInputs"))


def _gave(span: Span) -> Value:
    return decoded(span.attributes.get("mlflow.spanOutputs"))


def _first(*names: str) -> Reader[str]:
    def read(span: Span) -> str | None:
        values = (text(decoded(span.attributes.get(name))) for name in names)
        return next((value for value in values if value is not None), None)

    return read


_named = _first("mlflow.llm.model", "mlflow.chat.model")


def _model(span: Span) -> str | None:
    """Return the model's name, which may stand in the response or in the request alone."""
    return _named(span) or _member(_gave(span), "model") or _member(_given(span), "model")


def _member(value: Value, name: str) -> str | None:
    return text(value.get(name)) if isinstance(value, dict) else None


DIALECT = recorded(
    name=NAME,
    speaks=speaks,
    role=role,
    given=_given,
    gave=_gave,
    session=_first("mlflow.trace.session", "session.id"),
    model=_model,
    response=_first("gen_ai.response.id"),
)
