"""Dialects that record what each step was given and what it gave back, as any JSON or a text."""

from collections.abc import Callable

from streams.assemble.content.messages import Message, messages
from streams.assemble.content.passages import RetrievedDocument, documents
from streams.assemble.content.values import parsed, text
from streams.assemble.content.wording import (
    passages_given,
    question_in,
    reply_in,
    response_id_in,
    result_in,
)
from streams.assemble.dialect import RETRIEVING, Dialect, Reader, Role
from streams.assemble.span import Span, Value


def recorded(  # noqa: PLR0913  # what two of them have alike is all in here
    *,
    name: str,
    speaks: Callable[[Span], bool],
    role: Callable[[Span], Role],
    given: Callable[[Span], Value],
    gave: Callable[[Span], Value],
    session: Reader[str],
    model: Reader[str],
    response: Reader[str],
) -> Dialect:
    """Return a dialect, given where its spans keep what went in (`given`) and came out (`gave`)."""

    def found(span: Span) -> list[RetrievedDocument] | None:
        return documents(gave(span), texts=role(span) in RETRIEVING)

    return Dialect(
        name=name,
        speaks=speaks,
        role=role,
        asked=lambda span: question_in(given(span)),
        said=lambda span: reply_in(gave(span)),
        heard=lambda span: _heard(given(span)),
        found=found,
        given=lambda span: passages_given(given(span)),
        result=lambda span: result_in(gave(span)),
        session=session,
        model=model,
        response=lambda span: response(span) or response_id_in(gave(span)),
    )


def _heard(value: Value) -> list[Message]:
    """Return the messages in what a model was given. A text of its own is the user's."""
    value = parsed(value)
    words = text(value)
    return messages(value) if words is None else [Message("user", words)]
