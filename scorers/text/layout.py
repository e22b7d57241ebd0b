"""The lines of an answer: what is prose, item, heading or table row, and what is no statement.

Everything is blanked in place, never cut, so that an offset in the result is one in the answer.
"""

# ruff: noqa: RUF001 (letters that look alike are the subject here)

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scorers.text.references import trailing_references

Kind = Literal["prose", "item", "heading", "row"]

_FENCE = re.compile(
    r"[ \t>]{0,20}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]{1,8})?(`{3,200}|~{3,200})([^\r\n]{0,200})"
)
_FOOTNOTE_DEFINITION = re.compile(r"\s{0,8}\[\^[^\]\s]{1,80}\]:")
_MARK = re.compile(
    r"(?P<quote>[ \t]{0,200}>[ \t]?)|[ \t]{0,200}(?:"
    r"(?P<heading>#{1,6}(?=\s|$))|(?P<item>(?:[-*•‣◦▪●+–]|\d{1,3}[.)])(?=\s|$)))"
)
_BACKTICKS = re.compile(r"`{1,200}")


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its bullet or other marks. `after_gap`: it opens a block."""

    start: int
    end: int
    kind: Kind
    after_gap: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The answer with everything blanked that states nothing, and its lines that are not blank.

    `text` is as long as the answer. `code` holds the spans of inline code: text, never a citation.
    """

    text: str
    lines: tuple[Line, ...]
    code: tuple[tuple[int, int], ...]


def lay_out(answer: str) -> Layout:
    """Return the layout: fenced code, footnote definitions and the list of sources left out."""
    raw = answer.splitlines(keepends=True)
    stated = [not drop for drop in _fenced(raw)]
    defined = _defined(raw, stated)
    references = trailing_references(raw, kept=stated, defined=defined)
    kept = [
        stated[number] and not defined[number] and number < references for number in range(len(raw))
    ]
    return _read(raw, kept)


def _fenced(lines: Sequence[str]) -> list[bool]:
    inside: list[bool] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line)
        mark, info = (found[1], found[2]) if found else ("", "")
        if fence:
            inside.append(True)
            if mark.startswith(fence) and not info.strip():
                fence = ""
        elif mark and not (mark[0] == "`" and "`" in info):
            inside.append(True)
            fence = mark
        else:
            inside.append(False)
    return inside


def _defined(lines: Sequence[str], stated: Sequence[bool]) -> list[bool]:
    """Say which lines define a footnote, or go on with a definition (indented)."""
    defined: list[bool] = []
    for line, counts in zip(lines, stated, strict=True):
        goes_on = bool(defined) and defined[-1] and line[:1].isspace() and bool(line.strip())
        defined.append(counts and (goes_on or bool(_FOOTNOTE_DEFINITION.match(line))))
    return defined


def _read(raw: Sequence[str], kept: Sequence[bool]) -> Layout:
    parts: list[str] = []
    lines: list[Line] = []
    code: list[tuple[int, int]] = []
    rows = _rows(raw, kept)
    at, gap = 0, True
    for number, line in enumerate(raw):
        body = line.rstrip() if kept[number] else ""
        content, kind = _unmark(body)
        shown = " " * content + body[content:]
        if rows[number]:
            shown, kind = shown.replace("|", " "), "row"
        if _rules_off(shown):
            gap = True
            shown = ""
        else:
            start = len(shown) - len(shown.lstrip())
            end = len(shown.rstrip())
            lines.append(Line(start=at + start, end=at + end, kind=kind, after_gap=gap))
            code += [(at + opens, at + closes) for opens, closes in _inline_code(body)]
            gap = False
        # Line ends stay, whatever they were, so that no bracket is read across two lines.
        ends = line[-1:] if line.splitlines()[0] == line else "\n"
        parts.append(shown.ljust(len(line)) if ends != "\n" else shown.ljust(len(line) - 1) + "\n")
        at += len(line)
    return Layout(text="".join(parts), lines=tuple(lines), code=tuple(code))


def _unmark(line: str) -> tuple[int, Kind]:
    """Return where the line's content begins behind its marks, and what the marks make of it."""
    at = 0
    while (found := _MARK.match(line, at)) and found.end() > at:
        at = found.end()
        if found["item"]:
            return at, "item"
        if found["heading"]:
            return at, "heading"
    return at, "prose"


def _rules_off(line: str) -> bool:
    """Say whether the line only draws: a rule, or the one between a table's head and body."""
    return not set(line) - set("-=_*|:+ \t>")


def _rows(raw: Sequence[str], kept: Sequence[bool]) -> list[bool]:
    """Say which lines are table rows: with a leading pipe, or piped beside a ruling line."""
    rows = [
        keep and line.lstrip().startswith("|") and line.count("|") > 1
        for line, keep in zip(raw, kept, strict=True)
    ]
    below = False
    for number, line in enumerate(raw):
        rules = kept[number] and "|" in line and "-" in line and _rules_off(line.strip())
        if rules and number and "|" in raw[number - 1]:
            rows[number - 1] = kept[number - 1]
        below = kept[number] and "|" in line and (below or rules)
        rows[number] = rows[number] or (below and not rules)
    return rows


def _inline_code(line: str) -> list[tuple[int, int]]:
    """Return the spans between two runs of equally many backticks."""
    runs = [(found.start(), found.end()) for found in _BACKTICKS.finditer(line)]
    following: dict[int, int] = {}
    closes: dict[int, int] = {}
    for number in range(len(runs) - 1, -1, -1):
        size = runs[number][1] - runs[number][0]
        if size in following:
            closes[number] = following[size]
        following[size] = number
    spans = []
    number = 0
    while number < len(runs):
        closing = closes.get(number)
        if closing is not None:
            spans.append((runs[number][0], runs[closing][1]))
            number = closing
        number += 1
    return spans
