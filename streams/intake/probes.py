"""Rows that Streamgauge caused itself: an assistant's answers to being asked again.

Such a request is marked by the baggage member `streamgauge.probe=1`. Who records answers passes the
mark on, as the record's `baggage` header or as an attribute of the row. Judging those rows would
make factual consistency feed itself.
"""

from collections.abc import Iterable

from pydantic import JsonValue

MARK = "streamgauge.probe"
_HEADERS = frozenset({"baggage", "streamgauge-probe"})
_MARKED = frozenset({"1", "true"})


def carries_probe(headers: Iterable[tuple[str, bytes | None]]) -> bool:
    """Say whether the headers of a record carry the mark. (The value of one may be null.)"""
    return any(
        name in _HEADERS and _marked(name, (value or b"").decode(errors="replace"))
        for name, value in headers
    )


def marks_probe(attributes: JsonValue) -> bool:
    """Say whether the attributes of a row carry the mark."""
    if not isinstance(attributes, dict):
        return False
    baggage = attributes.get("baggage")
    return str(attributes.get(MARK)).lower() in _MARKED or (
        isinstance(baggage, str) and _marked("baggage", baggage)
    )


def _marked(name: str, value: str) -> bool:
    """Look for the member in W3C baggage: `key=value;property` with commas between."""
    if name != "baggage":
        return value.strip().lower() in _MARKED
    members = (member.partition(";")[0].partition("=") for member in value.split(","))
    return any(key.strip() == MARK and one.strip() in _MARKED for key, _, one in members)
