"""Every dialect that is understood, and which of them a span speaks."""

from collections.abc import Sequence

from streams.assemble.dialect import Dialect
from streams.assemble.dialects import (
    genai,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    pydantic_ai,
    traceloop,
    vercel,
)
from streams.assemble.mapping import SpanFields, mapped
from streams.assemble.span import Span
from streams.assemble.tree import Hear

DIALECTS: tuple[Dialect, ...] = (
    langfuse.DIALECT,
    langsmith.DIALECT,
    mlflow.DIALECT,
    vercel.DIALECT,
    pydantic_ai.DIALECT,
    openinference.DIALECT,
    traceloop.DIALECT,
    genai.DIALECT,
)
"""In the order in which they are asked: most also write some attributes of those further down."""


def hearing(mapping: Sequence[SpanFields] = ()) -> Hear:
    """Return what tells a span's dialect: that of a mapping which names the span comes first."""
    dialects = (*map(mapped, mapping), *DIALECTS)

    def hear(span: Span) -> Dialect | None:
        for dialect in dialects:
            if dialect.speaks(span):
                return dialect
        return None

    return hear
