"""Whether a number is a year, a day of the year or a time of day, by what stands around it."""

# ruff: noqa: RUF001, SIM905 (signs that look alike are the subject here, and lists of words)

import re

from scorers.text.scales import MONTHS, SCALES, UNITS

MONEY_BEFORE = re.compile(r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|US\$)) ?[-−]?\Z")
_MONTH_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{3,10})\.?\s{1,2}\Z")
_MONTH_BEHIND = re.compile(r"(?:st|nd|rd|th|\.)?\s{1,2}(?:of\s)?([^\W\d_]{3,10})")
_YEAR_WITH_DASH = re.compile(r"(?<!\w)(1[0-9]|2[01])[0-9]{2}[-‐‑–/]\Z")
_HOUR = re.compile(r"\s{0,2}(?:([ap])\.?m\b|uhr\b|h\d{2}\b)", re.IGNORECASE)
_NOON = 12
_LONGEST_MONTH = 31
_OLDEST, _LATEST = 1000, 2199
_YEAR_BEFORE = re.compile(
    r"(?:\b(?:in|since|until|till|by|from|of|year|years|before|after|around|circa|during|the|a|an"
    r"|im|seit|bis|von|vor|nach|um|anno|jahr|jahre|der|die|das|dem|den|en|depuis|avant|après|du"
    r"|le|la|desde|hasta|dal|nel|" + "|".join(MONTHS) + r")[.,]?\s{1,3}(?:\d{1,2}(?:st|nd|rd|th)?"
    r"\.?,?\s{1,3})?|[-–/]\s?)\Z",
    re.IGNORECASE,
)
_NO_COUNTED_NOUN = frozenset(
    """
    and or but to the a an in on at of by for from with was were is are has had as this its it he
    she they we his her their who which that when where while until till through than then plus
    versus across less does did will would could also
    und oder bis der die das ein eine in im am an auf von zu mit für war waren ist sind hat hatte
    als wurde wurden sich er sie es wir
    et ou le la les des un une du de en à au aux est y o el los las del e il lo gli
    """.split()
)
_PLURALS = ("s", "people", "men", "women", "children")


def minutes_of(text: str, found: re.Match[str]) -> float | None:
    """Return the time of day in minutes, None where the number is none."""
    hour = _HOUR.match(text, found.end())
    clock = found["time"] or (found["plain"] if hour else None)
    if clock is None or "," in clock:
        return None
    whole, _, rest = clock.replace(".", ":").partition(":")
    hours, minutes = int(whole), int(rest or 0)
    half = (hour[1] or "").casefold() if hour else ""
    if half == "p" and hours < _NOON:
        hours += _NOON
    elif half == "a" and hours == _NOON:
        hours = 0
    return hours * 60.0 + minutes


def second_year(found: re.Match[str], before: str) -> float | None:
    """Return the year that two digits mean behind another year (`2018-19`), None elsewhere."""
    first = _YEAR_WITH_DASH.search(before)
    digits = found["plain"] or ""
    return float(first[1] + digits) if first and len(digits) == len(first[1]) else None


def month_of(text: str, found: re.Match[str], before: str) -> int | None:
    """Return the month that the number is a day of, None where it is none."""
    digits = found["plain"] or ""
    if not digits.isdigit() or not 1 <= int(digits) <= _LONGEST_MONTH:
        return None
    for beside in (_MONTH_BEFORE.search(before), _MONTH_BEHIND.match(text, found.end())):
        if beside and beside[1].casefold() in MONTHS:
            return MONTHS[beside[1].casefold()]
    return None


def is_year(found: re.Match[str], before: str, word: str, *, glued: bool) -> bool:
    """Say whether a number is a year: four bare digits that count nothing (`1874 seats` do)."""
    digits = found["plain"] or ""
    if len(digits) != len("1874") or not digits.isdigit():
        return False
    if not _OLDEST <= int(digits) <= _LATEST or MONEY_BEFORE.search(before):
        return False
    if glued:
        return word == "s"
    folded = word.casefold()
    if folded in UNITS or folded in SCALES:
        return False
    if not word or folded in _NO_COUNTED_NOUN or _YEAR_BEFORE.search(before):
        return True
    counted = folded.endswith(_PLURALS) or (
        word[0].isupper() and folded.endswith(("e", "en", "er"))
    )
    return not counted
