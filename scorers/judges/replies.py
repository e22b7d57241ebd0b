"""What a chat endpoint replied, read strictly: a completion, and the one JSON object in it."""

import re
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.json_text import UnreadableJsonError, read_object
from schemas.score import Usage
from scorers.contract import InvalidReplyError
from scorers.judges.http import MAX_BYTES
from scorers.judges.pricing import a_count, an_amount

_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_LONGEST_NAME = 256
_FENCE = re.compile(r"```[a-zA-Z]*\s*")


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of a reply (None: there was none), why it ended, who wrote it and what it cost."""

    text: str | None
    finish_reason: str | None
    model: str | None
    usage: Usage


def completion(body: bytes, *, seconds: float) -> Completion:
    """Read the body of a chat completion. Raises InvalidReplyError where it is none."""
    reply = _object(body)
    choices = reply.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise InvalidReplyError("the reply is no chat completion")
    content = message.get("content")
    if content is not None and not isinstance(content, str):
        raise InvalidReplyError("the content of the reply is not a string")
    return Completion(
        text=content,
        finish_reason=_text_or_none(choice.get("finish_reason")),
        model=model_name(reply.get("model")),
        usage=_usage(reply.get("usage"), seconds),
    )


def answer_object(text: str) -> dict[str, JsonValue]:
    """Return the one object that a judge wrote. Raises InvalidReplyError, saying what was wrong.

    A leading `<think>` block and a fence around the whole text are taken off, and nothing else:
    prose is not searched, and what is broken is not mended.
    """
    text = text.strip().removeprefix("\ufeff").strip()
    if thinking := _THINKING.match(text):
        text = text[thinking.end() :].strip()
    first, _, rest = text.partition("\n")
    if _FENCE.fullmatch(first) and rest.endswith("```"):
        text = rest.removesuffix("```")
    return _object(text)


def _object(raw: bytes | str) -> dict[str, JsonValue]:
    try:
        return read_object(raw, max_bytes=MAX_BYTES)
    except UnreadableJsonError as error:
        raise InvalidReplyError(f"the reply must be one JSON object, and is not: {error}") from None


def model_name(value: JsonValue) -> str | None:
    """Return the name that a model gives itself; what no event and no terminal should hold is none.

    It stands in every event of a series, and in what `check` prints.
    """
    if not isinstance(value, str) or not value.isprintable():
        return None
    return value if 0 < len(value) <= _LONGEST_NAME else None


def _text_or_none(value: JsonValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _usage(value: JsonValue, seconds: float) -> Usage:
    fields = value if isinstance(value, dict) else {}
    return Usage(
        calls=1,
        attempts=1,
        input_tokens=a_count(fields.get("prompt_tokens")),
        output_tokens=a_count(fields.get("completion_tokens")),
        cost_usd=an_amount(fields.get("cost")),
        seconds=seconds,
    )
