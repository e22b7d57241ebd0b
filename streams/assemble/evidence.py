"""What an answer was given to go by: the first of five places that has any of it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from schemas.trace import Passage
from streams.assemble.content.passages import Found
from streams.assemble.content.prompts import passages_in
from streams.assemble.content.values import plain
from streams.assemble.dialect import Role
from streams.assemble.tree import Node

Origin = Literal["reranker", "retriever", "tool", "inputs", "prompt"]
"""Where the passages were found, the best place first."""

_RETRIEVING: tuple[Literal["reranker", "retriever"], ...] = ("reranker", "retriever")


class Evidence(NamedTuple):
    """The passages that are known, and from where; None and None where none are."""

    passages: tuple[Passage, ...] | None = None
    origin: Origin | None = None


def evidence(nodes: Sequence[Node], prompts: Iterable[str]) -> Evidence:
    """Return what a turn's answer was given: `prompts` are what its model read.

    What a reranker kept replaces what was retrieved. Several retrievals are one after the other.
    """
    for role in _RETRIEVING:
        if (found := _outermost(nodes, role)) is not None:
            return Evidence(numbered(found), role)
    if found := _outermost(nodes, "tool"):
        return Evidence(numbered(found), "tool")
    given = (node.dialect.given(node.span) for node in nodes if node.dialect)
    if found := _first(given):
        return Evidence(numbered(found), "inputs")
    if found := _first(passages_in(prompt) for prompt in prompts):
        return Evidence(numbered(found), "prompt")
    return Evidence()


def tool_results(nodes: Sequence[Node]) -> tuple[JsonValue, ...] | None:
    """Return what tools gave back that is no list of passages, None where none did."""
    results = [
        plain(result)
        for node in nodes
        if node.role == "tool" and node.dialect and not node.found
        if (result := node.dialect.result(node.span)) is not None
    ]
    return tuple(results) or None


def numbered(found: Sequence[Found]) -> tuple[Passage, ...]:
    """Return the passages, each once and under a key of its own.

    What has no key is known by its place, from 1. The second passage of a key is `key#2`: an
    answer that cites the key means either, and a row in which a key stands twice is of no use.
    """
    distinct: dict[tuple[str | None, str], Found] = {}
    for one in found:
        distinct.setdefault((one.key, one.text), one)
    taken: set[str] = set()
    passages = []
    for place, one in enumerate(distinct.values(), start=1):
        key = _free(one.key or str(place), taken)
        taken.add(key)
        passages.append(Passage(key=key, text=one.text, score=one.score, source=one.source))
    return tuple(passages)


def _free(key: str, taken: set[str]) -> str:
    if key not in taken:
        return key
    nth = 2
    while f"{key}#{nth}" in taken:
        nth += 1
    return f"{key}#{nth}"


def _outermost(nodes: Sequence[Node], role: Role) -> list[Found] | None:
    """Return what the steps of a role gave back, but not what steps within those did."""
    lists = {node: node.found for node in nodes if node.role == role and node.found is not None}
    outermost = [node for node in lists if not any(above in lists for above in node.above())]
    return [one for node in outermost for one in lists[node]] if lists else None


def _first(lists: Iterator[list[Found] | None]) -> list[Found] | None:
    return next((found for found in lists if found), None)
