"""The fields that scorers read: each is there, or absent, or present and of no use."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pydantic import JsonValue

from schemas.trace import Turn
from streams.intake.layout import Fields, names, renamed

_TURN = names({"role": (), "text": ("content",)})
_PASSAGE = names(
    {
        "key": ("id",),
        "text": ("content", "page_content"),
        "score": (),
        "source": (),
        "metadata": (),
    }
)


class UnusableError(ValueError):
    """A field is present and is not what it should be."""


class Content(NamedTuple):
    """The fields that could be read, and the names of those that are present and unusable."""

    fields: Mapping[str, object]
    unusable: tuple[str, ...]


def content_of(row: Fields) -> Content:
    """Read every content field by itself: one that is of no use does not cost the others."""
    fields: dict[str, object] = {}
    unusable = []
    for name, read in _READERS.items():
        value = row.get(name)
        if value is None:
            continue
        try:
            fields[name] = read(value)
        except UnusableError:
            unusable.append(name)
    return Content(fields, tuple(unusable))


def text(value: JsonValue) -> str:
    """Return a text. An empty one is a text."""
    if not isinstance(value, str):
        raise UnusableError
    return value


def turns(value: JsonValue) -> tuple[Turn, ...]:
    """Return a conversation: objects with a role, and a text under `text` or `content`."""
    return tuple(
        Turn(role=text(turn.get("role")), text=text(turn.get("text")))
        for turn in (renamed(_object(item), _TURN) for item in _list(value))
    )


def passages(value: JsonValue) -> list[dict[str, object]]:
    """Return what was retrieved: texts, or objects with a text and perhaps a key.

    What has no key gets its place in the list, from 1. A key that stands twice could be cited for
    either passage, so the whole field is unusable then.
    """
    found = [_passage(item, place) for place, item in enumerate(_list(value), start=1)]
    if len({passage["key"] for passage in found}) != len(found):
        raise UnusableError
    return found


def _passage(item: JsonValue, place: int) -> dict[str, object]:
    """Return the fields of a `Passage`: it is made with its trace, in one go."""
    if isinstance(item, str):
        return {"key": str(place), "text": item}
    members = renamed(_object(item), _PASSAGE)
    metadata = members.get("metadata")
    source = members.get("source") or (
        metadata.get("source") if isinstance(metadata, dict) else None
    )
    return {
        "key": _key(members.get("key"), place),
        "text": text(members.get("text")),
        "score": _number(members.get("score")),
        "source": source if isinstance(source, str) else None,
    }


def _number(value: JsonValue) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _key(value: JsonValue, place: int) -> str:
    if value is None or value == "":
        return str(place)
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnusableError
    return str(value)


def cited(value: JsonValue) -> dict[str, str | None]:
    """Return evidence by the key that an answer cites it by; null where its text is not known."""
    return {key: None if cited is None else text(cited) for key, cited in _object(value).items()}


def results(value: JsonValue) -> tuple[JsonValue, ...]:
    """Return what tools gave back: any JSON values, in order."""
    return tuple(_list(value))


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise UnusableError
    return value


def _object(value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise UnusableError
    return value


_READERS: Mapping[str, Callable[[JsonValue], object]] = {
    "question": text,
    "history": turns,
    "contexts": passages,
    "answer": text,
    "citations": cited,
    "tool_results": results,
    "reference": text,
}
