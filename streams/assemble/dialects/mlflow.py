"""MLflow's tracing: every value is written as JSON, names and texts too, in quotes."""

from streams.assemble.content.values import decoded, text
from streams.assemble.dialect import Reader, Role
from streams.assemble.recorded import recorded
from streams.assemble.span import Span, Value

NAME = "mlflow"

_TYPE = "mlflow.spanType"
_ROLES: dict[str, Role] = {
    "CHAT_MODEL": "model",
    "LLM": "model",
    "RETRIEVER": "retriever",
    "RERANKER": "reranker",
    "TOOL": "tool",
    "CHAIN": "chain",
    "AGENT": "agent",
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
