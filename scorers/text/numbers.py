"""Numbers, years, dates and times in a text, whatever separators and scale words it uses."""

# ruff: noqa: RUF001, SIM905 (signs that look alike are the subject here, and lists of words)

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scorers.text.keys import KnownKeys
from scorers.text.layout import lay_out
from scorers.text.markers import find_markers
from scorers.text.scales import CURRENCY_SCALES, GLUED_SCALES, MONTHS, SCALES, UNITS

FigureKind = Literal["quantity", "year", "day", "ordinal", "time"]

_FIGURE = re.compile(
    r"(?=\d)(?:(?<![\w.])(?P<iso>\d{4})-(?P<iso_month>\d{2})-(?P<iso_day>\d{2})(?!\d)"
    r"|(?<![\w.,])(?P<day>\d{1,2})(?P<sep>[./])(?P<month>\d{1,2})(?P=sep)(?P<dated>\d{4})(?!\w)"
    r"|(?<![\w.,:])(?P<time>\d{1,2}:\d{2})(?::\d{2})?(?![\w:])"
    r"|(?<!\w)(?P<grouped>\d{1,3}(?P<by> , |[,.'’\u00a0\u202f ])\d{3}(?!\d)"
    r"(?:(?P=by)\d{3}(?!\d)){0,8})(?P<rest>[.,]\d{1,12}(?![\d.,]?\d))?(?!\.\d)"
    r"|(?<!\w)(?P<version>\d{1,9}(?:\.\d{1,9}){2,8})(?!\w)"
    r"|(?<!\w)(?<!\d[.:])(?P<plain>\d{1,18}(?:[.,]\d{1,12})?)(?!\d|[eE]\d))"
)
_SIGNED = re.compile(r"(?:(?:^|[\s(\[=<>~≈])[-−]|[−]|\b(?:minus|negative)\s{1,3})\Z", re.IGNORECASE)
_MONEY_BEFORE = re.compile(r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|US\$)) ?[-−]?\Z")
_BEHIND = re.compile(r"[ \u00a0\u202f-]{0,2}(%|°C|°|[$€£¥₹]|[^\W\d_]{1,40})(\.?)")
_MONTH_BEFORE = re.compile(r"(?<!\w)([^\W\d_]{3,10})\.?\s{1,2}\Z")
_MONTH_BEHIND = re.compile(r"(?:st|nd|rd|th|\.)?\s{1,2}(?:of\s)?([^\W\d_]{3,10})")
_YEAR_WITH_DASH = re.compile(r"(?<!\w)(1[0-9]|2[01])[0-9]{2}[-‐‑–/]\Z")
_HOUR = re.compile(r"\s{0,2}(?:([ap])\.?m\b|uhr\b|h\d{2}\b)", re.IGNORECASE)
_ORDINALS = frozenset({"st", "nd", "rd", "th", "º", "ª"})
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
_DOTS_GROUP = re.compile(
    r"\b(?:der|die|das|und|von|mit|für|ist|im|beträgt|kostet|euro|le|les|des|est|el|los|di|che|il)\b",
    re.IGNORECASE,
)
_OLDEST, _LATEST = 1000, 2199
_LONGEST_MONTH = 31
_NOON = 12


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text: its value, what kind it is, and the unit or the noun that it counts.

    `also` is a second reading where the spelling leaves two (`1.200`, `3/4/2024`). A time is in
    minutes, a day of the year is a hundred times its month plus its day.
    """

    value: float
    kind: FigureKind
    unit: str
    start: int
    end: int
    also: float | None = None


def figures(text: str) -> list[Figure]:
    """Return the figures of a text in order of appearance. Linear in its length."""
    return list(_figures(text, dots_group=None))


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


def _figures(text: str, dots_group: bool | None) -> Iterator[Figure]:
    for found in _FIGURE.finditer(text):
        if found["iso"]:
            yield _figure(found, float(found["iso"]), "year")
            yield _day(found, month=int(found["iso_month"]), day=int(found["iso_day"]))
        elif found["dated"]:
            yield _figure(found, float(found["dated"]), "year")
            yield _day(found, month=int(found["month"]), day=int(found["day"]))
        elif (minutes := _minutes(text, found)) is not None:
            yield _figure(found, minutes, "time")
        elif not found["version"]:
            if dots_group is None and found["by"] == ".":
                dots_group = bool(_DOTS_GROUP.search(text, 0, 2000))
            if figure := _number(text, found, dots_group=bool(dots_group)):
                yield figure


def _minutes(text: str, found: re.Match[str]) -> float | None:
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


def _day(found: re.Match[str], *, month: int, day: int) -> Figure:
    """Return a day of the year. Slashes leave open which of the two is the month."""
    other = day * 100.0 + month if found["sep"] == "/" else None
    return Figure(month * 100.0 + day, "day", "", found.start(), found.end(), other)


def _figure(found: re.Match[str], value: float, kind: FigureKind, unit: str = "") -> Figure:
    return Figure(value, kind, unit, found.start(), found.end())


def _number(text: str, found: re.Match[str], *, dots_group: bool) -> Figure | None:
    start, end = found.span()
    before = text[max(0, start - 40) : start]
    behind = _BEHIND.match(text, end)
    word = behind[1] if behind else ""
    glued = bool(behind) and behind is not None and behind.start(1) == end
    year = _year(found, before, word, glued=glued)
    if not year and before[-1:] in {"-", "‑"} and before[-2:-1].isalpha():
        return None
    if year:
        return _figure(found, float(found["plain"]), "year")
    if season := _second_year(found, before):
        return _figure(found, season, "year")
    if month := _month(text, found, before):
        return _figure(found, month * 100.0 + float(found["plain"]), "day")
    if glued and word.casefold() in _ORDINALS:
        return _figure(found, float(found["plain"] or 0), "ordinal")
    value, also = _value(found, dots_group=dots_group or word[:1].isupper())
    money = bool(_MONEY_BEFORE.search(before))
    scale, end, word = _scaled(text, end, behind, money=money)
    sign = -1.0 if _SIGNED.search(before) else 1.0
    unit = "currency" if money else UNITS.get(word.casefold(), word.casefold())
    return Figure(
        sign * value * scale,
        "quantity",
        unit,
        start,
        end,
        None if also is None else sign * also * scale,
    )


def _value(found: re.Match[str], *, dots_group: bool) -> tuple[float, float | None]:
    """Return the value, and a second reading where one dot may group or begin the decimals."""
    if found["plain"]:
        return float(found["plain"].replace(",", ".")), None
    by, digits = found["by"], found["grouped"]
    whole = digits.replace(by, "")
    grouped = float(whole + (found["rest"] or "").replace(",", "."))
    if by == "." and not found["rest"] and digits.count(".") == 1:
        decimal = float(digits)
        if digits.startswith("0"):
            return decimal, None
        return (grouped, decimal) if dots_group else (decimal, grouped)
    if by == "," and digits.startswith("0"):
        return float(digits.replace(",", ".")), None
    return grouped, None


def _scaled(
    text: str, end: int, behind: re.Match[str] | None, *, money: bool
) -> tuple[float, int, str]:
    """Return what the number is multiplied by, where that ends, and the word after it."""
    if behind is None:
        return 1.0, end, ""
    word, glued = behind[1], behind.start(1) == end
    letters = CURRENCY_SCALES if money else GLUED_SCALES
    scale = SCALES.get(word.casefold()) or (letters.get(word) if glued else None)
    if scale is None:
        return 1.0, end, word
    after = _BEHIND.match(text, behind.end())
    if after and (second := SCALES.get(after[1].casefold())):
        further = _BEHIND.match(text, after.end())
        return scale * second, after.end(1), further[1] if further else ""
    return scale, behind.end(1), after[1] if after else ""


def _second_year(found: re.Match[str], before: str) -> float | None:
    """Return the year that two digits mean behind another year (`2018-19`), None elsewhere."""
    first = _YEAR_WITH_DASH.search(before)
    digits = found["plain"] or ""
    return float(first[1] + digits) if first and len(digits) == len(first[1]) else None


def _month(text: str, found: re.Match[str], before: str) -> int | None:
    """Return the month that the number is a day of, None where it is none."""
    digits = found["plain"] or ""
    if not digits.isdigit() or not 1 <= int(digits) <= _LONGEST_MONTH:
        return None
    for beside in (_MONTH_BEFORE.search(before), _MONTH_BEHIND.match(text, found.end())):
        if beside and beside[1].casefold() in MONTHS:
            return MONTHS[beside[1].casefold()]
    return None


def _year(found: re.Match[str], before: str, word: str, *, glued: bool) -> bool:
    digits = found["plain"] or ""
    if len(digits) != len("1874") or not digits.isdigit():
        return False
    if not _OLDEST <= int(digits) <= _LATEST or _MONEY_BEFORE.search(before):
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
