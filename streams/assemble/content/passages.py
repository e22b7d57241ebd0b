"""Passages out of what a retriever gives back, in the shapes that frameworks write documents."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from streams.assemble.content.values import holds_list, name, number, parsed, text
from streams.assemble.span import Value

_TEXTS = ("text", "content", "page_content", "document", "chunk", "snippet", "body")
_KEYS = ("id", "id_", "key", "doc_id", "document_id", "chunk_id")
_METADATA_KEYS = ("id", "source", "doc_id", "document_id", "chunk_id", "doc_uri", "file_name")
_SOURCES = ("source", "url", "doc_uri", "file_name", "file_path")
_INSIDE = ("kwargs", "node", "document", "doc", "payload")
"""Where a document proper may stand, with its score outside of it."""

LISTS = (
    *("documents", "docs", "context", "contexts", "passages", "chunks", "nodes", "results"),
    *("source_documents", "retrieved_documents", "matches", "hits", "output", "outputs"),
)
"""The names under which objects hold their documents."""

MARK = r"\[([^\[\]\s]{1,64})\]:?"
"""A passage's key before it: `[kb-7]`, `[1]:`. Its one group is the key."""

_MARKED = re.compile(MARK + r"\s+(\S.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RetrievedDocument:
    """A passage as it was found: `key` None where it is known by its place alone."""

    text: str
    key: str | None = None
    score: float | None = None
    source: str | None = None


def documents(value: Value, *, texts: bool = False) -> list[RetrievedDocument] | None:
    """Return the documents of a list, or of an object that holds one. None: there are none here.

    An empty list is an empty list: nothing was retrieved. Bare `texts` count only where asked for,
    because frameworks write what they cannot serialise as texts too.
    """
    value = parsed(value)
    if isinstance(value, dict):
        return _held(value, texts=texts)
    if not holds_list(value):
        return None
    if texts and value and all(isinstance(item, str) for item in value):
        return keyed([item for item in value if isinstance(item, str)])
    found = [one for item in value if (one := document(item)) is not None]
    return found if found or not value else None


def passages_of(value: Value) -> list[RetrievedDocument] | None:
    """Return what a field for passages holds: documents, texts, or one text with all of them."""
    value = parsed(value)
    return written(value) if isinstance(value, str) else documents(value, texts=True)


def _held(value: Mapping[str, Value], *, texts: bool) -> list[RetrievedDocument] | None:
    for listed in LISTS:
        inside = parsed(value.get(listed))
        if holds_list(inside) and (found := documents(inside, texts=texts)) is not None:
            return found
    return None


def document(item: Value) -> RetrievedDocument | None:
    """Return one document; None for what has no text, or one that is too long to be read."""
    if holds_list(item) and len(item) == 2:  # noqa: PLR2004  # a document and its score
        return _scored(document(item[0]), number(item[1]))
    if not isinstance(item, dict):
        return None
    for outer in _INSIDE:
        inside = item.get(outer)
        if inside and isinstance(inside, dict) and (found := document(inside)) is not None:
            return _scored(found, number(item.get("score")))
    words = _first(item, _TEXTS, text)
    if words is None:
        return None
    metadata = parsed(item.get("metadata", item.get("meta")))
    about = metadata if isinstance(metadata, dict) else {}
    return RetrievedDocument(
        text=words,
        key=_first(item, _KEYS, name) or _first(about, _METADATA_KEYS, name),
        score=number(item.get("score", about.get("score"))),
        source=_first(item, _SOURCES, text) or _first(about, _SOURCES, text),
    )


def _scored(found: RetrievedDocument | None, score: float | None) -> RetrievedDocument | None:
    if found is None or score is None:
        return found
    return RetrievedDocument(found.text, found.key, score, found.source)


def _first(
    item: Mapping[str, Value], keys: Iterable[str], read: Callable[[Value], str | None]
) -> str | None:
    for key in keys:
        if key in item and (found := read(item[key])) is not None:
            return found
    return None


def keyed(texts: Sequence[str]) -> list[RetrievedDocument]:
    """Return passages of bare texts. Where each begins with a mark of its own, that is its key."""
    marks = [_MARKED.fullmatch(one) for one in texts]
    found = [RetrievedDocument(text=mark[2], key=mark[1]) for mark in marks if mark is not None]
    if len(found) == len(texts) == len({one.key for one in found}):
        return found
    return [RetrievedDocument(text=one) for one in texts if text(one) is not None]


def written(value: str) -> list[RetrievedDocument]:
    """Return the passages of one text, as a prompt's context field has it.

    Its paragraphs where each is marked (`[kb-7] …`), or else its lines where each is; or else all
    of it as one passage.
    """
    for between in ("\n\n", "\n"):
        parts = [part.strip() for part in value.split(between) if part.strip()]
        if all(_MARKED.match(part) for part in parts):
            return keyed(parts)
    return [RetrievedDocument(text=value)] if text(value) is not None else []
