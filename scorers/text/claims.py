"""What an answer claims: its sentences, without the ones that state nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scorers.text.keys import KnownKeys
from scorers.text.layout import Layout, lay_out
from scorers.text.markers import Marker, find_markers
from scorers.text.phrases import only_announces, states_nothing
from scorers.text.sentences import sentence_lengths
from scorers.text.units import Unit, units, without_markers

_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_COLONS = (":", "\uff1a")
_CLOSERS = "\"')]*_ \u2019\u201d\u201c\u00bb"


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of an answer, as a judge should read it, and where it stands.

    `text` has no citation markers and carries the lead-in of the list it stands in; `start` and
    `end` are code points of the answer that was given, and hold the statement alone.
    """

    text: str
    start: int
    end: int


def claims(text: str) -> list[Claim]:
    """Return the claims of an answer in order. Linear in the length of the text.

    Headings, questions, refusals, talk about the answer and mere labels are no claims.
    """
    layout = lay_out(text)
    markers = [m for m in find_markers(layout, KnownKeys.of(())) if not text[m.start].isalpha()]
    found: list[Claim] = []
    lead_in = ""
    parts = list(units(layout, markers))
    for number, unit in enumerate(parts):
        if unit.kind != "item":
            lead_in = ""
        if unit.kind == "heading" or _heads_table(parts, number):
            continue
        for start, end in _sentences(layout, unit):
            said = without_markers(layout.text, start, end, unit.markers).replace("**", "")
            if said.rstrip(_CLOSERS).endswith(_COLONS):
                lead_in = said
            elif _claims(said):
                carried = unit.kind == "item" and lead_in and not only_announces(lead_in)
                found.append(Claim(f"{lead_in} {said}" if carried else said, start, end))
    return found


def _heads_table(parts: Sequence[Unit], number: int) -> bool:
    """Say whether the unit is the head of a table: a row that a ruling line follows."""
    then = parts[number + 1] if number + 1 < len(parts) else None
    return bool(parts[number].kind == "row" and then and then.kind == "row" and then.after_gap)


def _claims(said: str) -> bool:
    worded = any(map(str.isalnum, said))
    asks = said.rstrip(_CLOSERS).endswith(_QUESTION_MARKS)
    return worded and not asks and not states_nothing(said)


def _sentences(layout: Layout, unit: Unit) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a unit as spans of the answer, without white space around them."""
    blanked = _without(layout.text, unit.start, unit.end, unit.markers)
    at = 0
    for length in [len(blanked)] if unit.kind == "row" else sentence_lengths(blanked):
        piece = blanked[at : at + length]
        said = piece.strip()
        if said:
            start = unit.start + at + len(piece) - len(piece.lstrip())
            yield start, start + len(said)
        at += length


def _without(text: str, start: int, end: int, markers: Sequence[Marker]) -> str:
    """Return the stretch with its markers blanked, so that none hides where a sentence ends."""
    pieces, at = [], start
    for marker in markers:
        pieces += [text[at : marker.start], " " * (marker.end - marker.start)]
        at = marker.end
    return "".join([*pieces, text[at:end]])
