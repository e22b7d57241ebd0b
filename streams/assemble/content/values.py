"""Attribute values: JSON within strings, texts that are none, lists that were flattened to names.

Whoever can send a span can send any value: what is read of one is bounded.
"""

import math
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TypeGuard

import pydantic_core
from pydantic import JsonValue

from schemas.json_text import deeper_than
from streams.assemble.span import Span, Value

MAX_VALUE_BYTES = 1 << 20
"""A longer text is not read, and what it would have said is missing: a cut text is another text."""

MAX_INDEX = 10_000
"""The greatest index of a list that was flattened to attributes (`documents.3.content`)."""

MAX_DEPTH = 64
"""Objects and lists inside each other: JSON that is deeper is a text. No row may hold much more."""

MAX_BITS = 64
"""A whole number of more is told by its digits: who reads a row takes no endless numbers."""

REDACTED = "__REDACTED__"
"""What OpenInference writes in place of a text that is not to be told."""

_MAX_DIGITS = len(str(MAX_INDEX))


def text(value: Value) -> str | None:
    """Return a text; None for another value, a blank or redacted text, and one too long."""
    if not isinstance(value, str) or value == REDACTED or not value or value.isspace():
        return None
    return value if _fits(value) else None


def parsed(value: Value) -> Value:
    """Return what a value says: an object or list that is written as JSON is read.

    Any other text is left as it is, and one that is too long is nothing.
    """
    if not isinstance(value, str):
        return value
    return _json(value) if value.lstrip()[:1] in ("{", "[") else value


def decoded(value: Value) -> Value:
    """Return what is written as JSON, texts and numbers too; a text that is no JSON as it is."""
    return _json(value) if isinstance(value, str) else value


def _json(value: str) -> Value:
    if not _fits(value):
        return None
    try:
        found: JsonValue = pydantic_core.from_json(value, allow_inf_nan=True)
    except ValueError:
        return value
    if value.count("[") + value.count("{") > MAX_DEPTH and deeper_than(MAX_DEPTH, found):
        return value
    return found


def _fits(value: str) -> bool:
    if value.isascii():
        return len(value) <= MAX_VALUE_BYTES
    try:
        return len(value.encode()) <= MAX_VALUE_BYTES
    except UnicodeEncodeError:  # half of a surrogate pair is no text
        return False


def among(value: Value, words: Container[str]) -> bool:
    """Say whether a value is one of some words. Lists and objects are none, and have no hash."""
    return isinstance(value, str) and value in words


def number(value: Value) -> float | None:
    """Return a finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # a whole number that no float comes near
        return None


def name(value: Value) -> str | None:
    """Return what a thing is called by: a text, or a whole number as one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text(value)


def holds_list(value: Value) -> TypeGuard[Sequence[Value]]:
    """Say whether a value is a list. A text is none."""
    return isinstance(value, list | tuple)


def plain(value: Value) -> JsonValue:
    """Return a value as JSON has it: bytes by their hex digits, null for what is no number."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return str(value)
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, Sequence) else value


def indexed(attributes: Mapping[str, Value], prefix: str) -> list[Mapping[str, Value]]:
    """Return the items of a flattened list in their order, each by the rest of its names.

    An index that nobody means is refused, so that no list is made as long as it says.
    """
    begins = f"{prefix}."
    items: dict[int, dict[str, Value]] = {}
    for full, value in attributes.items():
        if full.startswith(begins):
            index, _, rest = full[len(begins) :].partition(".")
            if index.isascii() and index.isdigit() and len(index) <= _MAX_DIGITS:
                items.setdefault(int(index), {})[rest] = value
    return [items[index] for index in sorted(items) if index <= MAX_INDEX]


def whichever(*names: str) -> Callable[[Span], Value]:
    """Return a reader of the first of these attributes that is there, whatever it is."""

    def read(span: Span) -> Value:
        return next((span.attributes[one] for one in names if one in span.attributes), None)

    return read


def structured(*names: str) -> Callable[[Span], Value]:
    """Return a reader of what the first of these attributes says (`parsed`)."""
    read = whichever(*names)
    return lambda span: parsed(read(span))


def first(*names: str) -> Callable[[Span], str | None]:
    """Return a reader of the first of these attributes that is a text, or a whole number."""

    def read(span: Span) -> str | None:
        for one in names:
            if one in span.attributes and (found := name(span.attributes[one])) is not None:
                return found
        return None

    return read
