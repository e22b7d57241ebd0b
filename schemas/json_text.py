"""JSON from strangers, read strictly: exactly one object, every name once, every number finite.

Rows and judges' replies are read by the same function, because the same tricks hide in both: a
second object, a second value for a key, a number that is none. Nothing is ever mended.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import Literal

import pydantic_core
from pydantic import JsonValue

JsonFault = Literal[
    "too_large",
    "empty",
    "not_utf8",
    "not_json",
    "trailing_text",
    "not_an_object",
    "duplicate_key",
    "not_finite",
    "number_too_long",
    "too_deep",
    "lone_surrogate",
]
"""Why a text is refused. docs/messages.md has a line for each."""

MAX_DEPTH = 100
"""Objects and lists inside each other, the outermost counted."""

MAX_DIGITS = 1_000
"""Characters of one number. Longer ones cost quadratic time and mean nothing."""

_WHITE = " \t\r\n"
_BOM = b"\xef\xbb\xbf"
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class UnreadableJsonError(ValueError):
    """The text is not one strict JSON object. Neither part of the message quotes the text."""

    def __init__(self, code: JsonFault, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


def read_object(raw: bytes | str, *, max_bytes: int) -> dict[str, JsonValue]:
    """Return the one object that the text holds; one leading byte order mark is passed over.

    Raises UnreadableJsonError, whatever the text. Time and memory are bounded by `max_bytes`, the
    greatest length of its UTF-8 form.
    """
    text = _text(raw, max_bytes=max_bytes)
    start = len(text) - len(text.lstrip(_WHITE))
    if start == len(text):
        raise UnreadableJsonError("empty", "there is no text")
    try:
        value, end = _STRICT.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise UnreadableJsonError("not_json", f"not JSON at character {error.pos}") from None
    except RecursionError:
        raise _too_deep() from None
    if text[end:].strip(_WHITE):
        raise UnreadableJsonError("trailing_text", f"more text after the value at character {end}")
    if not isinstance(value, dict):
        raise UnreadableJsonError("not_an_object", "the value is not an object")
    if text.count("[") + text.count("{") > MAX_DEPTH and deeper_than(MAX_DEPTH, value):
        raise _too_deep()
    if "\\" in text and _SURROGATE.search(text) and not _is_unicode(value):
        raise UnreadableJsonError("lone_surrogate", "half of a surrogate pair is escaped")
    return value


def peek(raw: bytes, *, max_bytes: int) -> dict[str, JsonValue]:
    """Return the object as a quick reader sees it: for rows that may never be looked at again.

    It refuses nothing that `read_object` takes, and raises the same errors. What it lets pass are
    duplicate keys (the last counts), numbers out of range (as infinities), and depth up to 200.
    """
    if len(raw) <= max_bytes:
        try:
            value = pydantic_core.from_json(raw.removeprefix(_BOM), allow_inf_nan=False)
        except ValueError:
            value = None
        if isinstance(value, dict):
            return value
    return read_object(raw, max_bytes=max_bytes)


def _text(raw: bytes | str, *, max_bytes: int) -> str:
    if len(raw) > max_bytes:
        raise too_large(max_bytes)
    if isinstance(raw, str):
        try:
            raw = raw.encode()
        except UnicodeEncodeError:
            raise UnreadableJsonError("lone_surrogate", "half of a surrogate pair") from None
        if len(raw) > max_bytes:
            raise too_large(max_bytes)
    try:
        return raw.removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        raise UnreadableJsonError("not_utf8", f"not UTF-8 at byte {error.start}") from None


def too_large(max_bytes: int) -> UnreadableJsonError:
    """Return what is said of a text that is too long to be read."""
    return UnreadableJsonError("too_large", f"longer than {max_bytes} bytes")


def _too_deep() -> UnreadableJsonError:
    return UnreadableJsonError("too_deep", f"more than {MAX_DEPTH} levels deep")


def _distinct(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise UnreadableJsonError("duplicate_key", "a key stands twice in one object")
    return members


def _no_constant(name: str) -> JsonValue:
    raise UnreadableJsonError("not_finite", f"{name} is no JSON number")


def _finite(digits: str) -> float:
    if len(digits) > MAX_DIGITS:
        raise UnreadableJsonError("number_too_long", f"a number of {len(digits)} characters")
    number = float(digits)
    if not math.isfinite(number):
        raise UnreadableJsonError("not_finite", "a number is out of range")
    return number


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise UnreadableJsonError("number_too_long", f"a number of {len(digits)} characters")
    return int(digits)


_STRICT = json.JSONDecoder(
    object_pairs_hook=_distinct,
    parse_constant=_no_constant,
    parse_float=_finite,
    parse_int=_integer,
)


def deeper_than(depth: int, value: JsonValue) -> bool:
    """Say whether there are more levels of objects and lists than `depth`, without recursion."""
    level: list[JsonValue] = [value]
    for _ in range(depth + 1):
        containers = [node for node in level if isinstance(node, (dict, list))]
        if not containers:
            return False
        level = [
            inner
            for node in containers
            for inner in (node.values() if isinstance(node, dict) else node)
        ]
    return True


def _is_unicode(value: JsonValue) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
