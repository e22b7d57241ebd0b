"""What became of rows when they were drawn. Pure."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from schemas.rejection import Rejection
from streams.scoring.chances import Chance

MINUTE_MS = 60_000
"""Rows are counted by the minute of their event time."""


class Draw(NamedTuple):
    """What became of a row: whose it is, its stratum, and the scorers that drew it (maybe none).

    `at` is its event time in milliseconds, None where only the record's timestamp is known.
    """

    assistant: str
    stratum: str
    drawn: tuple[Chance, ...]
    at: int | None = None


class Cell(NamedTuple):
    """Where rows are counted together. `minute` since 1970, of their event time."""

    assistant: str
    stratum: str
    minute: int


class Draws(NamedTuple):
    """The draws of a batch, where most rows are nobody's and are only counted.

    `passed`: how many of them, by cell. `others` (by place in the batch): what became of the rest,
    which are the rows that were drawn, or rejected, or published of by an earlier life.
    `times`: of each row its event time, but no later than its record's; in milliseconds.
    `shed`: how many of `passed` would have been drawn by the probabilities of the settings.
    """

    passed: Mapping[Cell, int]
    others: dict[int, Draw | Rejection]
    times: Sequence[int]
    shed: Mapping[Cell, int] = MappingProxyType({})
