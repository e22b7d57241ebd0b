"""The plots of a comparison as inline SVG: rates, the square of verdicts, score changes. Pure.

Colours are classes, so that the page says how they look in the dark and on paper. Where everything
stands is written into the elements.
"""

from collections.abc import Sequence
from itertools import product

from streams.replay.comparison import BINS, Rates
from streams.replay.paired_formulas import Square
from streams.replay.report.html import Html, tag, together
from streams.watch.estimates.rates import Rate

_WIDE, _HIGH = 320, 180
_LEFT, _RIGHT = 24, 304
"""Where axes begin and end."""

_ENDS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Where an axis of rates may end."""

_CELL = 66

_LONGEST = 12
"""Letters of a name that fit beside a cell; the page tells all of it."""

_MIDDLE = BINS // 2


def rates_plot(rates: Rates, *, before: str, after: str) -> Html:
    """Return both rates of bad with their limits, one above the other on one axis from 0."""
    most = max(rates.before.upper, rates.after.upper)
    end = next((one for one in _ENDS if one >= most), 1.0)
    sides = ((before, rates.before, "before", 50), (after, rates.after, "after", 104))
    return _picture(
        f"Rates of bad with 95 % limits: {before} {rates.before.value:.1%}, "
        f"{after} {rates.after.value:.1%}",
        *(_whisker(name, rate, end, y, shade) for name, rate, shade, y in sides),
        _line(_LEFT, 140, _RIGHT, 140, "axis"),
        *(
            together(
                _line(_across(at, end), 140, _across(at, end), 145, "axis"),
                _text(f"{100 * at:.3g}", _across(at, end), 160, "middle", 11),
            )
            for at in (0.0, end / 2, end)
        ),
    )


def _whisker(name: str, rate: Rate, end: float, y: float, shade: str) -> Html:
    lower, value, upper = (_across(one, end) for one in (rate.lower, rate.value, rate.upper))
    return together(
        _text(f"{_short(name)}: {rate.value:.1%}", _LEFT, y - 14),
        _line(lower, y, upper, y, f"whisker {shade}"),
        _line(lower, y - 6, lower, y + 6, f"whisker {shade}"),
        _line(upper, y - 6, upper, y + 6, f"whisker {shade}"),
        tag("circle", cx=value, cy=y, r=5, class_=f"dot {shade}"),
    )


def _across(share: float, end: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * share / end


def square_plot(square: Square, *, before: str, after: str) -> Html:
    """Return the table of two verdicts on each row; a cell is the darker the more rows it has."""
    cells = zip(product((0, 1), repeat=2), square, strict=True)
    words = ("bad", "good")
    return _picture(
        f"Rows by both verdicts. Bad on both {int(square.both)}, only {before} "
        f"{int(square.before)}, only {after} {int(square.after)}, neither {int(square.neither)}",
        *(_cell(row, column, count, square.rows) for (row, column), count in cells),
        *(
            _text(f"{_short(before)}: {word}", 122, 62 + n * _CELL, "end")
            for n, word in enumerate(words)
        ),
        *(
            _text(f"{_short(after)}: {word}", 130 + _CELL * (n + 0.5), 18, "middle", 11)
            for n, word in enumerate(words)
        ),
    )


def _cell(row: int, column: int, count: float, rows: float) -> Html:
    x, y = 130 + column * _CELL, 26 + row * _CELL
    shade = "agreed" if row == column else "flipped"
    share = count / rows
    return together(
        tag(
            "rect",
            x=x + 1,
            y=y + 1,
            width=_CELL - 2,
            height=_CELL - 2,
            class_=f"cell {shade}",
            fill_opacity=0.08 + 0.6 * share**0.5,
        ),
        _text(f"{int(count):,}", x + _CELL / 2, y + 32, "middle", 15),
        _text(f"{share:.1%}", x + _CELL / 2, y + 48, "middle", 11),
    )


def histogram_plot(bins: Sequence[int]) -> Html:
    """Return how far scores moved, without those that hardly did: they would hide all others."""
    moved = [0 if place == _MIDDLE else count for place, count in enumerate(bins)]
    most, step = max(moved) or 1, (_RIGHT - _LEFT) / BINS
    still = f"{bins[_MIDDLE]:,} pairs moved by less than 0.05"
    bars = (
        tag(
            "rect",
            tag("title", f"{(place - _MIDDLE) / _MIDDLE:+.1f}: {count:,}"),
            x=_LEFT + place * step + 1,
            y=140 - 100 * count / most,
            width=step - 2,
            height=100 * count / most,
            class_=f"bar {'fell' if place < _MIDDLE else 'rose'}",
        )
        for place, count in enumerate(moved)
        if count
    )
    ends = ((0, "-1"), (_MIDDLE, "0"), (BINS - 1, "+1"))
    return _picture(
        f"Differences of scores. {still}; the highest bar is {max(moved):,}",
        _text(f"{still} (not drawn)", _LEFT, 18),
        *bars,
        _line(_LEFT, 140, _RIGHT, 140, "axis"),
        *(_text(word, _LEFT + (at + 0.5) * step, 158, "middle", 11) for at, word in ends),
        _text(f"highest bar: {max(moved):,}", _LEFT, 174, size=11),
    )


def _picture(title: str, *parts: Html) -> Html:
    return tag(
        "svg",
        tag("title", title),
        *parts,
        viewBox=f"0 0 {_WIDE} {_HIGH}",
        width=_WIDE,
        height=_HIGH,
        role="img",
        aria_label=title,
    )


def _line(x1: float, y1: float, x2: float, y2: float, shade: str) -> Html:
    return tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=shade)


def _text(words: str, x: float, y: float, anchor: str = "start", size: float = 12) -> Html:
    return tag("text", words, x=x, y=y, text_anchor=anchor, font_size=size)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
