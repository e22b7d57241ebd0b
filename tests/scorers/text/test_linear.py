"""Hostile texts cost as much as they are long: calls are counted, and no time is measured."""

# ruff: noqa: RUF001, W291 (marks and white space are the subject here)

import re
import sys
from collections.abc import Callable, Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType

import pytest

from scorers.judges.rules_index import index, read
from scorers.judges.rules_support import compare
from scorers.text import (
    citations,
    claims,
    dating,
    figures,
    keys,
    layout,
    markers,
    names,
    phrases,
    references,
    sentences,
    stops,
    terms,
    units,
    words,
)

PIECES = (
    """
[1, ;[1];[;(C9 ;[[;.;a. ;!? ;Dr. ;Foo a ;`;` `` ``` ;<cite>;<cite id="1">;</cite>;<co: 1>;“a. ;水。
a\u0301\u0302;\u202eשלום. ;1;1.;1,;1-;1 000 ;- 5 ;[1](http://a ;[1](a(b;\ue200cite\ue202a;E1 
ev1:s:;May 5 ;> ;¹;【1:;i'm sorry ;\x00 
""".strip("\n")
    .replace("\n", ";")
    .split(";")
)
LINES = ["", "```", "Sources", "[^1]: a", "a:", "- b", "a?", "|a|b|", "# a", "[1] http://a"]
HOSTILE = [*PIECES, *(f"{line}\n" for line in LINES)]


def calls(work: Callable[[str], object], text: str) -> int:
    """Count the calls that the work makes, of functions in Python and in C alike."""
    count = 0

    def note(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work(text)
    finally:
        sys.setprofile(before)
    return count


def judged(text: str) -> object:
    return compare(read(text), [index("word 1 a b")])


@pytest.mark.parametrize(
    "work",
    [
        lambda text: citations.read_citations(text, ["1", "C1"], superscripts=True),
        claims.claims,
        figures.figures,
        index,
        judged,
    ],
    ids=["citations", "claims", "figures", "index", "compare"],
)
def test_twice_the_text_takes_twice_the_calls(work: Callable[[str], object]) -> None:
    for piece in HOSTILE:
        short = piece * (1_500 // len(piece))
        work(short)  # what is remembered from one run to the next is warm in both

        once, twice = calls(work, short), calls(work, short * 2)

        assert twice <= 2.2 * once + 500, piece


MODULES = [
    citations, claims, dating, figures, keys, layout, markers, names, phrases, references,
    sentences, stops, terms, units, words,
]  # fmt: skip


def patterns(module: ModuleType) -> list[re.Pattern[str]]:
    return [value for value in vars(module).values() if isinstance(value, re.Pattern)]


def repeats(parsed: object, depth: int = 0) -> Iterator[tuple[int, int]]:
    """Yield of each repeat how often it may go round, and how many repeats lie around it."""
    if isinstance(parsed, tuple) and parsed and parsed[0] in _REPEATS:
        _, (_, most, body) = parsed
        yield int(most), depth
        yield from repeats(body, depth + 1)
    elif isinstance(parsed, (tuple, list, _parser.SubPattern)):
        for part in parsed:
            yield from repeats(part, depth)


_REPEATS = {_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_no_pattern_can_look_ahead_without_bound(module: ModuleType) -> None:
    """A look ahead costs at most a constant; a run of one set, never read twice, may be longer."""
    for pattern in patterns(module):
        for most, depth in repeats(_parser.parse(pattern.pattern, pattern.flags)):
            endless = most >= int(_constants.MAXREPEAT)
            assert most <= 2_000 or (endless and depth == 0 and len(pattern.pattern) < 40), pattern
