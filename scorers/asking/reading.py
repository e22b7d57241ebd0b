"""Taking values out of a judge's reply: each is there as it should be, or the reply is refused.

Nothing is clamped, rescaled or filled in. An explanation alone may be missing.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from scorers.contract import InvalidReplyError

W = TypeVar("W", bound=str)


def an_object(value: object, name: str = "the reply") -> Mapping[str, object]:
    """Return the value if it is an object."""
    if not isinstance(value, dict):
        raise InvalidReplyError(f"{name} must be an object")
    return value


def a_list(reply: Mapping[str, object], key: str) -> Sequence[object]:
    """Return the list under the key."""
    value = reply.get(key)
    if not isinstance(value, list):
        raise InvalidReplyError(f"{key} must be a list")
    return value


def a_text(value: object, name: str) -> str:
    """Return the value if it is a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidReplyError(f"{name} must be a text that is not blank")
    return value


def an_explanation(reply: Mapping[str, object], key: str) -> str:
    """Return the text under the key; missing or null is the empty text."""
    value = reply.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InvalidReplyError(f"{key} must be a text")
    return value


def a_word(value: object, words: Sequence[W], name: str) -> W:
    """Return the one of the words that the value is, white space around it and case aside."""
    word = value.strip().lower() if isinstance(value, str) else None
    for known in words:
        if word == known:
            return known
    raise InvalidReplyError(f"{name} must be one of: {', '.join(words)}")


def a_number(value: object, name: str, *, least: float, most: float) -> float:
    """Return a JSON number inside the range (no text, no boolean)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidReplyError(f"{name} must be a number")
    if not least <= value <= most:
        raise InvalidReplyError(f"{name} must lie between {least} and {most}")
    return float(value)
