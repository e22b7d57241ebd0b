"""The quantities and years of an answer, and how far from a reference they may be."""

from typing import Literal

from scorers.text.figures import figures
from scorers.text.keys import KnownKeys
from scorers.text.layout import lay_out
from scorers.text.markers import find_markers


def numbers(text: str) -> list[float]:
    """Return the quantities of a text in order: no years, versions, times, or citation markers.

    Percentages keep their figure, scale words multiply, both ends of a range count.
    """
    return [f.value for f in figures(_without_markers(text)) if f.kind == "quantity"]


def years(text: str) -> list[int]:
    """Return the years of a text in order: bare four-digit numbers that count nothing."""
    return [int(f.value) for f in figures(_without_markers(text)) if f.kind == "year"]


def close_enough(
    *,
    answer_value: float,
    reference_value: float,
    kind: Literal["relative", "year"],
    tolerance: float = 0.05,
) -> bool:
    """Say whether a number is right by the reference: within the share of it, or one year off.

    Exactly the tolerance is inside, binary floats allowed for; a reference of 0 matches only 0.
    """
    apart = abs(answer_value - reference_value)
    if kind == "year":
        return apart <= 1
    return apart <= tolerance * abs(reference_value) * (1 + 1e-9)


def _without_markers(text: str) -> str:
    pieces, at = [], 0
    for marker in find_markers(lay_out(text), KnownKeys.of(())):
        pieces += [text[at : marker.start], " "]
        at = marker.end
    return "".join([*pieces, text[at:]])
