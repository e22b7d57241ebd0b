"""Questions, answers and passages in what a step was given and gave back: any JSON, or a text.

Instrumentation writes a function's arguments and its result, so the names are the application's.
Those that people use are looked for in turn; where none is known, one lone text will do.
"""

from collections.abc import Mapping, Sequence

from streams.assemble.content.messages import Message, last_user, messages
from streams.assemble.content.passages import RetrievedDocument, passages_of
from streams.assemble.content.values import holds_list, parsed, text
from streams.assemble.span import Value

_ASKED = (
    *("question", "query", "user_query", "user_input", "query_str", "prompt", "input", "inputs"),
    *("message", "text", "query_bundle", "qb", "kwargs", "args", "data"),
)
_ANSWERED = (
    *("answer", "response", "output", "outputs", "result", "final_answer", "text", "content"),
    *("completion", "reply", "replies", "generations", "message", "choices"),
)
_CONTEXT = ("context", "contexts", "context_str", "documents", "passages")
_HOLDERS = ("kwargs", "inputs", "input", "data")
_SPEAKERS = frozenset({"assistant", ""})
_THOUGHTS = frozenset({"reasoning", "rationale", "thought"})
"""What a model writes down before its answer is no part of it."""

MAX_DEPTH = 8
"""Objects within objects: deeper ones are not looked into."""


def question_in(value: Value, depth: int = 0) -> str | None:
    """Return the question in what a step was given, None where it is not to be made out."""
    value = parsed(value)
    if isinstance(value, dict) and depth < MAX_DEPTH:
        return _asked(value, depth + 1)
    if holds_list(value) and depth < MAX_DEPTH:
        return _last_asked(value) or _sole([question_in(item, depth + 1) for item in value[:1]])
    return text(value)


def _asked(value: Mapping[str, Value], depth: int) -> str | None:
    if holds_list(value.get("messages")) and (asked := _last_asked(value)):
        return asked
    for name in _ASKED:
        if (inside := value.get(name)) and (asked := question_in(inside, depth)):
            return asked
    parts = [part for part in value.values() if isinstance(part, dict)]
    for name in _ASKED[:2]:  # the inputs of a pipeline's components
        named = [question_in(part[name], depth) for part in parts if part.get(name)]
        if asked := _sole(named):
            return asked
    return _sole([text(item) for item in value.values()])


def _last_asked(value: Value) -> str | None:
    conversation = messages(value)
    at = last_user(conversation)
    return None if at is None else conversation[at].text


def answer_in(value: Value, depth: int = 0) -> str | None:
    """Return the answer in what a step gave back, None where it is not to be made out."""
    value = parsed(value)
    if isinstance(value, dict) and depth < MAX_DEPTH:
        return _answered(value, depth + 1)
    if holds_list(value) and depth < MAX_DEPTH:
        return _last_answered(value) or _sole([answer_in(item, depth + 1) for item in value])
    return text(value)


def _answered(value: Mapping[str, Value], depth: int) -> str | None:
    if holds_list(value.get("messages")) and (said := _last_answered(value)):
        return said
    for name in _ANSWERED:
        if (inside := value.get(name)) and (said := answer_in(inside, depth)):
            return said
    rest = [item for name, item in value.items() if name not in _THOUGHTS]
    if len(rest) == 1 and (said := text(rest[0])):
        return said
    return _sole([answer_in(item, depth) for item in rest if isinstance(item, dict)])


def _last_answered(value: Value) -> str | None:
    conversation = messages(value)
    if not conversation or conversation[-1].role not in _SPEAKERS or conversation[-1].calls:
        return None
    return conversation[-1].text


def reply_in(value: Value) -> Message | None:
    """Return what was said in what a model or a step gave back: its last message, or its answer."""
    value = parsed(value)
    said = messages(value)
    if said:
        return said[-1]
    return spoken(answer_in(value))


def spoken(words: str | None) -> Message | None:
    """Return a text as an assistant's message; None for none."""
    return None if words is None else Message("assistant", words)


def result_in(value: Value) -> Value:
    """Return what a tool gave back, out of an object that holds it as its `output`."""
    value = parsed(value)
    return value.get("output", value) if isinstance(value, dict) else value


def response_id_in(value: Value) -> str | None:
    """Return the id of a model's response, where all of the response was written down."""
    value = parsed(value)
    return text(value.get("id")) if isinstance(value, dict) and "choices" in value else None


def _sole(texts: Sequence[str | None]) -> str | None:
    """Return the one text there is: of two, nobody could say which is meant."""
    different = {one for one in texts if one is not None}
    return different.pop() if len(different) == 1 else None


def passages_given(value: Value, depth: int = 0) -> list[RetrievedDocument] | None:
    """Return the passages in a step's inputs, None where it was given none that can be read."""
    value = parsed(value)
    if not isinstance(value, dict) or depth == MAX_DEPTH:
        return None
    for name in _CONTEXT:
        if found := passages_of(value.get(name)):
            return found
    for name in _HOLDERS:
        if found := passages_given(value.get(name), depth + 1):
            return found
    return None
