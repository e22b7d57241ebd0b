"""Keeping events small: of a very long answer's claims the worst are shown, and all are counted."""

from collections.abc import Mapping, Sequence

import pydantic_core
from pydantic import JsonValue

from schemas.score import Breakdown, NotScorable, Outcome, Scored
from streams.scoring.disclosure import Disclosure, disclosed, part

MOST_BYTES = 512 * 1024
"""Of what an outcome says beside its figures: half of what a broker takes of a message at all."""

LEFT_OUT = "left_out"
"""How many entries of each list of a breakdown are not shown; there only where some are not."""

_FEW = 200
"""Entries that are looked at together; of more, only as many as there is room for."""

_ROWS = ("claims", "sentence_rows")
_SEVERITY: Mapping[JsonValue, int] = {
    **dict.fromkeys(("no", "contradicted", "contradictory"), 0),
    **dict.fromkeys(("unsure", "unsupported", "slightly_inconsistent"), 1),
    "partially_supported": 2,
    **dict.fromkeys(("yes", "fully_supported", "consistent"), 4),
}
_UNDECIDED = 3


def bounded(outcome: Outcome, disclosure: Disclosure, *, most: int = MOST_BYTES) -> Outcome:
    """Return the outcome with the text that may leave, in `most` bytes of JSON.

    Where that is too little, texts are cut as `claims` cuts them, and lists are shortened: claims
    and cited sentences to the worst (contradicted, then not in the evidence, then undecided) in
    their order, other lists to their beginning. Score, label and counts still speak of all.
    """
    if not isinstance(outcome, Scored | NotScorable) or not outcome.breakdown:
        return disclosed(outcome, disclosure)
    if disclosure == "full" or _entries(outcome.breakdown) <= _FEW:
        whole = disclosed(outcome, disclosure)
        if _said(whole) <= most:
            return whole
        disclosure = "claims" if disclosure == "full" else disclosure
    figures = {
        name: value for name, value in outcome.breakdown.items() if not isinstance(value, list)
    }
    short = disclosed(outcome.model_copy(update={"breakdown": figures}), disclosure)
    lists = _shortened(outcome.breakdown, disclosure, most - _said(short))
    return short.model_copy(update={"breakdown": {**figures, **lists}})


def _entries(breakdown: Breakdown) -> int:
    return sum(len(value) for value in breakdown.values() if isinstance(value, list))


def _shortened(breakdown: Breakdown, disclosure: Disclosure, room: int) -> Breakdown:
    """Return the lists of a breakdown within so many bytes, the rows first."""
    kept: Breakdown = {}
    left_out: dict[str, JsonValue] = {}
    for name in sorted(breakdown, key=lambda name: name not in _ROWS):
        entries = breakdown[name]
        if not isinstance(entries, list):
            continue
        shown = _fitting(name, entries, disclosure, room)
        room -= _bytes(shown)
        kept[name] = [*shown]
        if len(shown) < len(entries):
            left_out[name] = len(entries) - len(shown)
    return {**kept, LEFT_OUT: left_out} if left_out else kept


def _fitting(
    name: str, entries: Sequence[JsonValue], disclosure: Disclosure, room: int
) -> list[JsonValue]:
    """Return the entries that matter most of those that fit, in their order."""
    shown: dict[int, JsonValue] = {}
    places = range(len(entries))
    for place in sorted(places, key=lambda n: _severity(entries[n])) if name in _ROWS else places:
        entry = part(name, entries[place], disclosure)
        room -= _bytes(entry) + 1
        if room < 0:
            break
        shown[place] = entry
    return [shown[place] for place in sorted(shown)]


def _severity(row: JsonValue) -> int:
    if not isinstance(row, dict):
        return _UNDECIDED
    return 0 if row.get("fabricated") else _SEVERITY.get(row.get("verdict"), _UNDECIDED)


def _said(outcome: Outcome) -> int:
    """Return the bytes of what an outcome says beside its figures."""
    if not isinstance(outcome, Scored | NotScorable):
        return 0
    return _bytes([outcome.breakdown, outcome.reason])


def _bytes(value: object) -> int:
    return len(pydantic_core.to_json(value))
