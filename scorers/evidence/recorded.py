"""What an answer's claims are checked against, out of what a trace recorded."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from schemas.trace import RagTrace
from scorers.evidence.tool_results import finished
from scorers.questions import Evidence, EvidenceKind

KINDS: tuple[EvidenceKind, ...] = ("contexts", "tool_results", "history")
"""The kinds that faithfulness may be told to read."""


def recorded(
    trace: RagTrace, kinds: Sequence[EvidenceKind], *, everything: bool = False
) -> tuple[Evidence, ...] | None:
    """Return the first kind that was recorded, or all of them; None where none was.

    Blank pieces are left out, so that the result may be empty: nothing was found. Keys are distinct
    across kinds: a passage keeps its own, which the answer may cite, and others give way.
    """
    found = [pieces for kind in kinds if (pieces := _READERS[kind](trace)) is not None]
    if not found:
        return None
    chosen = found if everything else found[:1]
    return _distinct(piece for pieces in chosen for piece in pieces if piece.text.strip())


def _distinct(pieces: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Return the pieces under keys of their own: one that is taken gets a prime."""
    ordered = list(pieces)
    taken = {piece.key for piece in ordered if piece.kind == "contexts"}
    found = []
    for piece in ordered:
        key = piece.key
        while piece.kind != "contexts" and key in taken:
            key += "'"
        taken.add(key)
        found.append(piece if key == piece.key else replace(piece, key=key))
    return tuple(found)


def _contexts(trace: RagTrace) -> list[Evidence] | None:
    if trace.contexts is None:
        return None
    return [Evidence(key=passage.key, text=passage.text) for passage in trace.contexts]


def _tool_results(trace: RagTrace) -> list[Evidence] | None:
    if trace.tool_results is None:
        return None
    texts = [
        json.dumps(result, ensure_ascii=False, separators=(",", ":"))
        for result in finished(trace.tool_results)
    ]
    return [
        Evidence(key=f"tool:{n}", text=text, kind="tool_results") for n, text in enumerate(texts, 1)
    ]


def _history(trace: RagTrace) -> list[Evidence] | None:
    if trace.history is None:
        return None
    return [
        Evidence(key=f"turn:{n}", text=turn.text, kind="history")
        for n, turn in enumerate(trace.history, 1)
    ]


_READERS: Mapping[str, Callable[[RagTrace], list[Evidence] | None]] = {
    "contexts": _contexts,
    "tool_results": _tool_results,
    "history": _history,
}
