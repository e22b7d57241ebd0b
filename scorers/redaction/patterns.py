"""The kinds of values that are hidden: built-in ones, and an operator's regular expressions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from scorers.redaction.built_in import BUILT_IN, Find, Span

MOST_WAYS = 2_000
"""Ways in which an expression may match from one place, at most: the text can choose the worst."""

MOST_CHARACTERS = 200
"""What an expression may match at one time, at most."""

OWN = "pattern"
"""The kind of what an operator's expressions find."""


class PatternError(ValueError):
    """An expression cannot be used. The message ends a sentence that begins with its key."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of value, and how to find it."""

    kind: str
    find: Find


def pattern(text: str) -> Pattern:
    """Return the built-in pattern of that name, or that of a regular expression.

    Raises PatternError for one that is wrong, that matches the empty text, or that a text could
    keep busy: Python's engine has no time limit, so what it may have to try is bounded beforehand.
    """
    if text in BUILT_IN:
        return Pattern(text, BUILT_IN[text])
    try:
        compiled, tree = re.compile(text), parser.parse(text)
    except (re.error, RecursionError, OverflowError):
        known = ", ".join(BUILT_IN)
        raise PatternError(f"is neither one of {known} nor a regular expression") from None
    shortest, longest = tree.getwidth()
    if shortest == 0:
        raise PatternError("matches the empty text: let it ask for one character at least")
    if longest > MOST_CHARACTERS or _ways(tree) > MOST_WAYS:
        raise PatternError(
            "could take too long: give every repeat a small maximum, such as {1,40} for +"
        )

    def find(searched: str) -> Iterator[Span]:
        return (found.span() for found in compiled.finditer(searched))

    return Pattern(OWN, find)


def _ways(tree: Any) -> int:
    """Return a bound on the ways in which a parsed expression matches from one place, at least 1.

    The number of ways multiplies along a sequence and adds up over alternatives and over the times
    that a repeat may go round. Above the limit the exact number no longer matters.
    """
    ways = 1
    for code, value in tree:
        ways = min(ways * _ways_of(code, value), MOST_WAYS + 1)
    return ways


def _ways_of(code: Any, value: Any) -> int:
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, most, inner = value
        return _rounds(_ways(inner), int(least), int(most))
    if code is op.BRANCH:
        return sum(map(_ways, value[1]))
    if code is op.GROUPREF_EXISTS:
        return sum(_ways(branch) for branch in value[1:] if branch is not None)
    if code in (op.SUBPATTERN, op.ASSERT, op.ASSERT_NOT):
        return _ways(value[-1])
    return _ways(value) if code is op.ATOMIC_GROUP else 1


def _rounds(each: int, least: int, most: int) -> int:
    if each == 1:
        return min(most - least, MOST_WAYS) + 1
    total, ways = 0, 1
    for times in range(most + 1):
        total += ways if times >= least else 0
        if max(total, ways) > MOST_WAYS:
            return MOST_WAYS + 1
        ways *= each
    return total
