"""Spans that speak no dialect: people say where each thing stands in them (`assemble.fields`)."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from pydantic import BaseModel

from scorers.setting_types import SECTION, Text
from streams.assemble.content.passages import RetrievedDocument, passages_of
from streams.assemble.content.values import parsed, plain, text
from streams.assemble.content.wording import question_in, reply_in
from streams.assemble.dialect import Dialect, Reader, Role
from streams.assemble.span import Span, Value
from streams.intake.layout import follow

NAME = "mapped"


class SpanFields(BaseModel):
    """Where the spans of one name keep what a row needs. They are read so whatever else they say.

    Each field is an attribute's name; where that holds JSON, steps into it may follow
    (`app.reply.choices.0.text`), and the longest name that is an attribute's counts. With a
    question and an answer, such a span is a turn of its own, whatever is below it; with an answer
    alone it is a model's call, with contexts alone it is a retriever's.
    """

    model_config = SECTION

    span: Text
    """The spans' name; * stands for anything."""
    question: Text | None = None
    """The question, or what was asked of the retriever."""
    contexts: Text | None = None
    """What was retrieved: documents, texts, or one text."""
    answer: Text | None = None
    """What was answered."""
    session_id: Text | None = None
    """The conversation's id."""
    response_id: Text | None = None
    """The response's id."""
    model: Text | None = None
    """The model's name."""


def mapped(fields: SpanFields) -> Dialect:
    """Return the dialect of the spans that a mapping names."""
    role = _role(fields)

    def passages(span: Span) -> list[RetrievedDocument] | None:
        return passages_of(value_at(span, fields.contexts))

    return Dialect(
        name=NAME,
        speaks=lambda span: fnmatchcase(span.name, fields.span),
        role=lambda _: role,
        asked=lambda span: question_in(value_at(span, fields.question)),
        said=lambda span: reply_in(value_at(span, fields.answer)),
        found=passages,
        given=passages,
        session=_text_at(fields.session_id),
        response=_text_at(fields.response_id),
        model=_text_at(fields.model),
    )


def _role(fields: SpanFields) -> Role:
    if fields.answer is not None:
        return "model" if fields.question is None else "turn"
    return "chain" if fields.contexts is None else "retriever"


def _text_at(path: Text | None) -> Reader[str]:
    return lambda span: text(value_at(span, path))


def value_at(span: Span, path: Text | None) -> Value:
    """Return what stands at a path, None where nothing does."""
    if path is None:
        return None
    steps = path.split(".")
    for length in range(len(steps), 0, -1):
        name = ".".join(steps[:length])
        if name in span.attributes:
            return _within(span.attributes[name], steps[length:])
    return None


def _within(value: Value, steps: Sequence[str]) -> Value:
    if not steps:
        return value
    return follow({"": plain(parsed(value))}, ".".join(("", *steps)))
