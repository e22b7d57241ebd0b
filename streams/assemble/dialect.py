"""What an instrumentation says of a span, in our words: there is one `Dialect` for each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from streams.assemble.content.messages import Message
from streams.assemble.content.passages import RetrievedDocument
from streams.assemble.span import Span, Value

Role = Literal["turn", "agent", "chain", "model", "retriever", "reranker", "tool", "other"]
"""What a span did. Steps are a `turn`, which somebody says is one answer's; an `agent`, which calls
a model whether that is traced or not; a `chain`, which is any other. Of `other` nothing is read."""

RETRIEVING: tuple[Literal["reranker", "retriever"], ...] = ("reranker", "retriever")
"""The roles of what finds passages: what a reranker kept counts before what was retrieved."""


def role_of(kind: Value, roles: Mapping[str, Role]) -> Role:
    """Return the role of a kind of span, written in whatever case; `roles` by small letters."""
    return roles.get(kind.lower(), "other") if isinstance(kind, str) else "other"


_T = TypeVar("_T")
Reader = Callable[[Span], _T | None]
"""Reads one thing out of a span. None: the span does not say it."""


def _nothing(_: Span) -> None:
    return None


def _no_messages(_: Span) -> list[Message]:
    return []


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one instrumentation says things. All readers are pure, and raise for no span.

    `asked` is the question in a step's input, or a retriever's query; `said` is what a model said,
    or a step gave back; `heard` are the messages that a model was given; `found` are the passages
    that a retriever, reranker or tool gave back; `given` are those in a step's input; `result` is
    what a tool gave back.
    """

    name: str
    speaks: Callable[[Span], bool]
    role: Callable[[Span], Role]
    asked: Reader[str] = _nothing
    said: Reader[Message] = _nothing
    found: Reader[list[RetrievedDocument]] = _nothing
    given: Reader[list[RetrievedDocument]] = _nothing
    heard: Callable[[Span], list[Message]] = _no_messages
    result: Reader[Value] = _nothing
    session: Reader[str] = _nothing
    model: Reader[str] = _nothing
    response: Reader[str] = _nothing
    prompt_version: Reader[str] = _nothing
    environment: Reader[str] = _nothing
