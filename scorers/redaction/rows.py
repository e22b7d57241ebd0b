"""A row behind its veil: every text that a scorer may read, covered before any scorer reads it."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from schemas.score import NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers.redaction.veil import PLACEHOLDER, Redaction, Replacement, Veil, counted

Change = Callable[[str], str]

_INLINE_CHARACTERS = 20_000
_RECENT = 16
"""Rows that are remembered: those who judge a row begin with it at one time."""


@dataclass(frozen=True, slots=True)
class CoveredRow:
    """A row without its values, how many places these stood in, and where in the answer."""

    veil: Veil
    trace: RagTrace
    hidden: Mapping[str, int]
    places: Sequence[Replacement]

    def published(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the offsets of its claims as the raw answer has them.

        All its texts were made of covered ones, but for a reason that came when it stood.
        """
        if not isinstance(outcome, Scored | NotScorable):
            return outcome
        update: dict[str, object] = {}
        if self.places and outcome.breakdown:
            update["breakdown"] = {k: self._moved(rows) for k, rows in outcome.breakdown.items()}
        if isinstance(outcome, Scored) and outcome.reason is not None:
            update["reason"] = self.veil.cover_reply(outcome.reason)
        return outcome.model_copy(update=update)

    def _moved(self, rows: JsonValue) -> JsonValue:
        if not isinstance(rows, list):
            return rows
        return [self._moved_row(row) if isinstance(row, dict) else row for row in rows]

    def _moved_row(self, row: dict[str, JsonValue]) -> JsonValue:
        start, end = row.get("start"), row.get("end")
        if not isinstance(start, int) or not isinstance(end, int):
            return row
        return {**row, "start": self._raw(start), "end": self._raw(end, ends=True)}

    def _raw(self, offset: int, *, ends: bool = False) -> int:
        """Return the offset in the raw answer of one in the covered: inside a value, its edge."""
        before = bisect_right(self.places, offset, key=lambda place: place.start) - 1
        if before < 0:
            return offset
        place = self.places[before]
        if offset == place.start:
            return place.raw_start
        if offset < place.end:
            return place.raw_end if ends else place.raw_start
        return place.raw_end + offset - place.end


def covered(trace: RagTrace, redaction: Redaction) -> CoveredRow:
    """Return the row with the same placeholder for the same value in all of its texts.

    Who and where it is stays: ids, service and environment. So does an answer that is `spared`.
    """
    veil = redaction.veil()
    spared = trace.answer is not None and trace.answer.strip() in redaction.spared
    veil.learn(_texts(trace, spared=spared))
    if not veil.used:
        return CoveredRow(veil, trace, {}, ())
    hidden = _changed(trace, veil.cover, spared=spared)
    places = () if spared else tuple(veil.places(trace.answer or ""))
    return CoveredRow(veil, hidden, counted(_texts(hidden, spared=spared)), places)


@dataclass(slots=True)
class Covering:
    """Covers a row once for all who judge it; what each of them adds to its veil is its own.

    Numbers stay the same that way, whoever is quicker. A row that is asked for much later is
    covered anew.
    """

    redaction: Redaction
    _recent: dict[int, tuple[RagTrace, CoveredRow]] = field(default_factory=dict)

    async def row(self, trace: RagTrace) -> CoveredRow:
        """Return the row behind a veil of its own; one with long texts is covered in a thread."""
        raw, found = self._recent.get(id(trace), (None, None))
        if found is None or raw is not trace:
            if sum(map(len, _texts(trace, spared=False))) > _INLINE_CHARACTERS:
                found = await asyncio.to_thread(covered, trace, self.redaction)
            else:
                found = covered(trace, self.redaction)
            self._recent[id(trace)] = trace, found
            if len(self._recent) > _RECENT:
                del self._recent[next(iter(self._recent))]
        return replace(found, veil=found.veil.copy())


def _texts(trace: RagTrace, *, spared: bool) -> list[str]:
    """Return every text of a row, in the order that their values are numbered in."""
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    _changed(trace, keep, spared=spared)
    return texts


def _changed(trace: RagTrace, change: Change, *, spared: bool) -> RagTrace:
    update: dict[str, object] = {"question": _text(trace.question, change)}
    if trace.history is not None:
        update["history"] = tuple(
            turn.model_copy(update={"role": change(turn.role), "text": change(turn.text)})
            for turn in trace.history
        )
    if trace.contexts is not None:
        update["contexts"] = tuple(
            piece.model_copy(update={"key": _key(piece.key, change), "text": change(piece.text)})
            for piece in trace.contexts
        )
    if not spared:
        update["answer"] = _text(trace.answer, change)
    if trace.citations is not None:
        update["citations"] = {
            _key(key, change): _text(text, change) for key, text in trace.citations.items()
        }
    if trace.tool_results is not None:
        update["tool_results"] = tuple(_json(result, change) for result in trace.tool_results)
    update["reference"] = _text(trace.reference, change)
    update["attributes"] = {change(name): change(value) for name, value in trace.attributes.items()}
    update["session_id"] = _text(trace.session_id, change)
    return trace.model_copy(update=update)


def _text(text: str | None, change: Change) -> str | None:
    return None if text is None else change(text)


def _key(key: str, change: Change) -> str:
    """Return a passage's key, covered; one that is a value altogether, as brackets will cite it."""
    hidden = change(key)
    return hidden[1:-1] if hidden != key and PLACEHOLDER.fullmatch(hidden) else hidden


def _json(value: JsonValue, change: Change) -> JsonValue:
    """Return JSON with its texts changed, keys and all; a number that is a value becomes a text."""
    if isinstance(value, dict):
        return {change(key): _json(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json(inner, change) for inner in value]
    if isinstance(value, str):
        return change(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    plain = str(int(value) if value == int(value) else value)  # 4.0e15 is a card's number too
    written = change(plain)
    return value if written == plain else written
