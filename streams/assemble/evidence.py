"""What an answer was given to go by: the first of five places that has any of it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from pydantic import JsonValue

from schemas.trace import Passage
from streams.assemble.content.messages import Message
from streams.assemble.content.passages import RetrievedDocument, documents
from streams.assemble.content.prompts import passages_in
from streams.assemble.content.values import parsed, plain
from streams.assemble.dialect import RETRIEVING, Role
from streams.assemble.span import Value
from streams.assemble.tree import Node

Origin = Literal["reranker", "retriever", "tool", "inputs", "prompt"]
"""Where the passages were found, the best place first."""


class TraceEvidence(NamedTuple):
    """The passages that are known, and from where; None and None where none are."""

    passages: tuple[Passage, ...] | None = None
    origin: Origin | None = None


def evidence(nodes: Sequence[Node], heard: Sequence[Message]) -> TraceEvidence:
    """Return what a turn's answer was given: `heard` are the messages that its model read.

    What a reranker kept replaces what was retrieved. Several retrievals are one after the other.
    """
    for role in RETRIEVING:
        if (found := _outermost(nodes, role)) is not None:
            return TraceEvidence(numbered(found), role)
    if found := _outermost(nodes, "tool") or _of_tools(heard):
        return TraceEvidence(numbered(found), "tool")
    given = (node.dialect.given(node.span) for node in nodes if node.dialect)
    if found := _first(given):
        return TraceEvidence(numbered(found), "inputs")
    if found := _first(passages_in(message.text) for message in heard if message.text):
        return TraceEvidence(numbered(found), "prompt")
    return TraceEvidence()


def _of_tools(heard: Sequence[Message]) -> list[RetrievedDocument]:
    lists = (documents(result) for message in heard for result in message.results)
    return [one for found in lists if found for one in found]


def tool_results(nodes: Sequence[Node], heard: Sequence[Message]) -> tuple[JsonValue, ...] | None:
    """Return what tools gave back that is no list of passages, None where none did.

    Where no tool is traced it is what the model was told of them.
    """
    tools = [node for node in nodes if node.role == "tool" and node.dialect]
    if tools:
        results = [_result(tool) for tool in tools if not tool.found]
    else:
        told = [result for message in heard for result in message.results]
        results = [parsed(result) for result in told if not documents(result)]
    return tuple(plain(result) for result in results if result is not None) or None


def _result(tool: Node) -> Value:
    return tool.dialect.result(tool.span) if tool.dialect else None


def numbered(found: Sequence[RetrievedDocument]) -> tuple[Passage, ...]:
    """Return the passages, each once and under a key of its own.

    What has no key is known by its place, from 1. The second passage of a key is `key#2`: an
    answer that cites the key means either, and a row in which a key stands twice is of no use.
    """
    distinct: dict[tuple[str | None, str], RetrievedDocument] = {}
    for one in found:
        distinct.setdefault((one.key, one.text), one)
    taken: set[str] = set()
    times: Counter[str] = Counter()
    passages = []
    for place, one in enumerate(distinct.values(), start=1):
        key = wanted = one.key or str(place)
        while key in taken:
            times[wanted] += 1
            key = f"{wanted}#{times[wanted] + 1}"
        taken.add(key)
        passages.append(Passage(key=key, text=one.text, score=one.score, source=one.source))
    return tuple(passages)


def _outermost(nodes: Sequence[Node], role: Role) -> list[RetrievedDocument] | None:
    """Return what the steps of a role gave back, but not what steps within those did."""
    lists = {node: node.found for node in nodes if node.role == role and node.found is not None}
    outermost = [node for node in lists if not any(above in lists for above in node.above())]
    return [one for node in outermost for one in lists[node]] if lists else None


def _first(lists: Iterator[list[RetrievedDocument] | None]) -> list[RetrievedDocument] | None:
    return next((found for found in lists if found), None)
