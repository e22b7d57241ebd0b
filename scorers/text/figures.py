"""Numbers, years, dates and times in a text, whatever separators and scale words it uses."""

# ruff: noqa: RUF001 (signs that look alike are the subject here, and lists of words)

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from scorers.text.dating import MONEY_BEFORE, is_year, minutes_of, month_of, second_year
from scorers.text.scales import CURRENCY_SCALES, GLUED_SCALES, SCALES, UNITS

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
_BEHIND = re.compile(r"[ \u00a0\u202f-]{0,2}(%|°C|°|[$€£¥₹]|[^\W\d_]{1,40})(\.?)")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "º", "ª"})
_DOTS_GROUP = re.compile(
    r"\b(?:der|die|das|und|von|mit|für|ist|im|beträgt|kostet|euro|le|les|des|est|el|los|di|che|il)\b",
    re.IGNORECASE,
)


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


def _figures(text: str, dots_group: bool | None) -> Iterator[Figure]:
    for found in _FIGURE.finditer(text):
        if found["iso"]:
            yield _figure(found, float(found["iso"]), "year")
            yield _day(found, month=int(found["iso_month"]), day=int(found["iso_day"]))
        elif found["dated"]:
            yield _figure(found, float(found["dated"]), "year")
            yield _day(found, month=int(found["month"]), day=int(found["day"]))
        elif (minutes := minutes_of(text, found)) is not None:
            yield _figure(found, minutes, "time")
        elif not found["version"]:
            if dots_group is None and found["by"] == ".":
                dots_group = bool(_DOTS_GROUP.search(text, 0, 2000))
            if figure := _number(text, found, dots_group=bool(dots_group)):
                yield figure


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
    year = is_year(found, before, word, glued=glued)
    if not year and before[-1:] in {"-", "‑"} and before[-2:-1].isalpha():
        return None
    if year:
        return _figure(found, float(found["plain"]), "year")
    if season := second_year(found, before):
        return _figure(found, season, "year")
    if month := month_of(text, found, before):
        return _figure(found, month * 100.0 + float(found["plain"]), "day")
    if glued and word.casefold() in _ORDINALS:
        return _figure(found, float(found["plain"] or 0), "ordinal")
    value, also = _value(found, dots_group=dots_group or word[:1].isupper())
    money = bool(MONEY_BEFORE.search(before))
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
