"""Names in a text: who and what it speaks of, also in languages that capitalise every noun."""

# ruff: noqa: SIM905 (lists of words)

import re
from collections.abc import Sequence

from scorers.text.scales import MONTHS, UNITS
from scorers.text.terms import SMALL_WORDS, Term

_CAPITALISING = frozenset("der die das und ist nicht ein eine mit den von für auf dem".split())
_WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag"
    " freitag samstag sonntag".split()
)
_TITLES = frozenset("mr mrs ms dr prof sir herr frau president the".split())
_SENTENCE_START = re.compile(r"[.!?:\u2026\n\u201c\u201e\"(*-]\s{0,9}[\"'(*\u201c\u201e]{0,3}\Z")

_LOOK_BACK = 12


def names(text: str, words: Sequence[Term]) -> list[list[Term]]:
    """Return the names in a text, each the run of its words. `words` are the text's terms.

    A word at the start of a sentence is one only where a capitalised word follows or its spelling
    says so. Where nouns are capitalised (German) a lone capitalised word is none.
    """
    nouns_too = capitalises_nouns(words)
    runs: list[list[Term]] = []
    run: list[Term] = []
    for word in words:
        if run and text[run[-1].start + len(run[-1].text) : word.start].strip(" -"):
            runs.append(run)
            run = []
        if _named(word):
            run.append(word)
        elif run:
            runs.append(run)
            run = []
    runs.append(run)
    return [run for run in runs if run and _counts(text, run, nouns_too=nouns_too)]


def capitalises_nouns(words: Sequence[Term]) -> bool:
    """Say whether a text is in a language that capitalises its nouns."""
    small = sum(word.text.lower() in _CAPITALISING for word in words)
    return small * 8 > len(words)


def _named(word: Term) -> bool:
    folded = word.text.casefold()
    return (
        word.text[0].isupper()
        and folded not in SMALL_WORDS
        and folded not in MONTHS
        and folded not in UNITS
        and folded not in _TITLES
        and folded not in _WEEKDAYS
    )


def _counts(text: str, run: Sequence[Term], *, nouns_too: bool) -> bool:
    if any(_spelled_as_name(word.text) for word in run):
        return True
    if nouns_too:
        return len(run) > 1
    start = run[0].start
    opens = not start or _SENTENCE_START.search(text[max(0, start - _LOOK_BACK) : start])
    return len(run) > 1 or not opens


def _spelled_as_name(word: str) -> bool:
    """Say whether the spelling alone makes a name: inner capitals, or letters with digits."""
    inner = any(letter.isupper() for letter in word[1:])
    return len(word) > 1 and (inner or any(letter.isdigit() for letter in word))
