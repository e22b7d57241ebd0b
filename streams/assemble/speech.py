"""Who gave a turn's answer, what it says, what was asked, and what was said before."""

from collections.abc import Sequence
from typing import NamedTuple

from schemas import trace
from streams.assemble.content.messages import Message, last_user
from streams.assemble.content.prompts import question_of
from streams.assemble.dialect import RETRIEVING
from streams.assemble.tree import Node
from streams.assemble.turns import Exchange

_CONVERSING = frozenset({"user", "assistant"})


class SpokenAnswer(NamedTuple):
    """A turn's answer, and the span that gave it: its model's, or that of the step around it."""

    speaker: Node
    text: str | None


def answer(turn: Exchange) -> SpokenAnswer:
    """Return what a turn's outermost step gave back; or else what its last model said.

    What a model said before anything was retrieved is no answer: it put the query in other words,
    or let it pass.
    """
    models = _answering(turn)
    said = [SpokenAnswer(model, model.text) for model in models if model.text is not None]
    given = [head.text for head in turn.heads if head.text is not None]
    if given:
        spoke = [one for one in said if one.text is not None and given[-1] in one.text]
        said = [one._replace(text=given[-1]) for one in spoke or said]
    return (
        said[-1]
        if said
        else SpokenAnswer((models or [turn.entry])[-1], given[-1] if given else None)
    )


def _answering(turn: Exchange) -> list[Node]:
    """Return the calls of models that may have given the answer, in the order of their ends."""
    began = min((node.span.start_ns for node in turn.nodes if node.role in RETRIEVING), default=-1)
    models = [node for node in turn.nodes if node.answers and _end(node)[0] > began]
    return sorted(models, key=lambda node: (node.role == "model", *_end(node)))


def _end(node: Node) -> tuple[int, str]:
    """Return what puts spans in the order of their ends: none ends before it starts."""
    return max(node.span.end_ns, node.span.start_ns), node.span.span_id


def question(turn: Exchange, speaker: Node, contexts: Sequence[str]) -> str | None:
    """Return what the outermost step was asked; or else what the user's last message asks.

    Failing both it is what was asked of the retriever, perhaps in other words.
    """
    query = _query(turn)
    for head in turn.heads:
        if head.asked is not None:
            return question_of(head.asked, contexts=contexts, query=query)
    for model in (speaker, *(node for node in turn.nodes if node.role == "model")):
        at = last_user(model.heard)
        if at is not None and (text := model.heard[at].text):
            return question_of(text, contexts=contexts, query=query)
    return query


def _query(turn: Exchange) -> str | None:
    queries = (node.asked for node in turn.nodes if node.role in RETRIEVING)
    return next((query for query in queries if query is not None), None)


def history(heard: Sequence[Message]) -> tuple[trace.Turn, ...] | None:
    """Return what was said before the user's last message, None where nothing was."""
    before = heard[: last_user(heard) or 0]
    said = tuple(
        trace.Turn(role=message.role, text=message.text)
        for message in before
        if message.role in _CONVERSING and message.text is not None
    )
    return said or None
