"""One line of a topic's file, and the record that it stands for. Pure.

We write `{"key":…,"headers":{…},"timestamp":…,"value":{…}}`, or `value_base64` where the value is
no JSON object; a null value is a tombstone. A line without either is a bare row: the whole line is
the value. So is a line that is no such JSON: whatever it is, its bytes reach the decoder.

Keys and headers are text. Bytes that are no UTF-8 survive as lone surrogates (PEP 383); a header
that repeats has a list of texts.
"""

import base64
import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from schemas.wire import to_milliseconds

Headers = tuple[tuple[str, bytes], ...]

_BLANK = re.compile(r"[ \t\r\n]*")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)")
_BESIDE, _VALUES = {"key", "headers", "timestamp"}, {"value", "value_base64"}
_LAST = 253_402_300_799_999  # the end of the year 9999: no later time can be written
# Only where a value begins and ends is asked: numbers stay text, whatever their length.
_SCAN = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)


class Line(NamedTuple):
    """What a line holds. `timestamp` in milliseconds since 1970, None where it names no time.

    `claimed`: the timestamp is only what a bare row says of itself.
    """

    key: bytes | None
    value: bytes | None
    timestamp: int | None
    headers: Headers = ()
    claimed: bool = False


def read_line(raw: bytes) -> Line:
    """Return what a line (without its line feed) holds. Never raises, and loses no byte."""
    if b'"value' in raw:
        try:
            return _envelope(raw) or _bare(raw)
        except (ValueError, TypeError, IndexError, RecursionError):
            return Line(None, raw, None)
    return _bare(raw)


def write_line(
    *, key: bytes | None, value: bytes | None, timestamp: int, headers: Headers = ()
) -> bytes:
    """Return a line with its line feed. The value's bytes are found again unchanged."""
    head = {"key": _text(key), "headers": _named(headers), "timestamp": timestamp}
    start = json.dumps(head, separators=(",", ":")).encode()[:-1]
    if value is None:
        return start + b',"value":null}\n'
    if b"\n" not in value and holds_object(value):
        return start + b',"value":' + value + b"}\n"
    return start + b',"value_base64":"' + base64.b64encode(value) + b'"}\n'


def holds_object(raw: bytes) -> bool:
    """Say whether the bytes are one JSON object, from the first to the last."""
    if raw[:1] != b"{" or raw[-1:] != b"}":
        return False
    try:
        text = raw.decode()
        return _SCAN.raw_decode(text)[1] == len(text)
    except (ValueError, RecursionError):
        return False


def _bare(raw: bytes) -> Line:
    at = _answered(raw)
    return Line(None, raw, at, claimed=at is not None)


def _answered(raw: bytes) -> int | None:
    """Return what the row's own `answered_at` says, not that of something inside the row."""
    if b'"answered_at"' not in raw:
        return None
    try:
        for name, value, _, _ in _members(raw.decode()):
            if name == "answered_at" and isinstance(value, str) and _INSTANT.fullmatch(value):
                return _bounded(to_milliseconds(datetime.fromisoformat(value)))
    except (ValueError, TypeError, IndexError, RecursionError):
        return None
    return None


def _bounded(at: int) -> int:
    if not 0 <= at <= _LAST:
        raise ValueError("a timestamp lies between 1970 and 9999")
    return at


def _envelope(raw: bytes) -> Line | None:
    """Return the parts of an envelope, None of a bare row. Raises where it is neither."""
    text = raw.decode()
    found = {name: (value, text[at:end]) for name, value, at, end in _members(text)}
    if not found.keys() & _BESIDE and not found.keys() <= _VALUES:
        return None  # a row may have a field of that name, too
    if "value" in found:
        parsed, source = found["value"]
        value = None if parsed is None else source.encode()
    elif "value_base64" in found:
        value = base64.b64decode(str(found["value_base64"][0]), validate=True)
    else:
        return None
    key = found.get("key", (None, ""))[0]
    headers = tuple(_headers(found.get("headers", ({}, ""))[0]))
    stamp = found.get("timestamp")
    at = _answered(value or b"") if stamp is None else _bounded(int(stamp[1]))
    claimed = stamp is None and at is not None
    return Line(None if key is None else _bytes(key), value, at, headers, claimed)


def _members(text: str) -> Iterator[tuple[str, object, int, int]]:
    """Yield the members of the object that the text is: name, value, where the value stands."""
    at = _after(text, 0, "{")
    if text[at] == "}":
        return
    while True:
        name, at = _SCAN.raw_decode(text, at)
        if not isinstance(name, str):
            raise TypeError("a member's name is text")
        start = _after(text, at, ":")
        value, end = _SCAN.raw_decode(text, start)
        yield name, value, start, end
        at = _after(text, end, "")
        if text[at] == "}":
            break
        at = _after(text, at, ",")
    if _after(text, at, "}") != len(text):
        raise ValueError("there is more than one object")


def _after(text: str, at: int, mark: str) -> int:
    """Return where the next thing begins behind blanks, the mark, and blanks."""
    found = _BLANK.match(text, at)
    at = found.end() if found else at
    if not text.startswith(mark, at):
        raise ValueError(f"{mark} is missing")
    found = _BLANK.match(text, at + len(mark))
    return found.end() if found else at + len(mark)


def _headers(named: object) -> Iterator[tuple[str, bytes]]:
    if not isinstance(named, dict):
        raise TypeError("headers are an object")
    for name, texts in named.items():
        for text in texts if isinstance(texts, list) else [texts]:
            yield name, _bytes(text)


def _named(headers: Headers) -> dict[str, str | list[str]]:
    texts: dict[str, list[str]] = {}
    for name, value in headers:
        texts.setdefault(name, []).append(value.decode(errors="surrogateescape"))
    return {name: found[0] if len(found) == 1 else found for name, found in texts.items()}


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode(errors="surrogateescape")


def _bytes(text: object) -> bytes:
    if not isinstance(text, str):
        raise TypeError("keys and headers are text")
    return text.encode(errors="surrogateescape")


def blank(raw: bytes) -> bool:
    """Say whether a line is empty: it keeps its number, and holds no record."""
    return not raw or raw.isspace()
