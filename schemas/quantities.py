"""Durations, sizes and counts as people write them in a settings file: `5m`, `512KiB`, `32k`."""

import re
from datetime import timedelta
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer

_NUMBER_AND_UNIT = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]+)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_COUNTS = {"k": 1_000, "M": 1_000_000}
_MOST = 1e13  # seconds that a timedelta can hold, and 9 TiB


def _scaled(text: str, units: dict[str, float] | dict[str, int], example: str) -> float:
    found = _NUMBER_AND_UNIT.fullmatch(text.strip())
    if found is None or found[2] not in units:
        known = ", ".join(units)
        raise ValueError(f"write a number and one of the units {known}, such as {example}")
    number = float(found[1]) * units[found[2]]
    if number > _MOST:
        raise ValueError("is far too large")
    return number


def _duration(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str):
        raise ValueError("a duration needs a unit: write 90s, 5m, 6h or 3d")  # noqa: TRY004
    return timedelta(seconds=_scaled(value, _SECONDS, "90s, 5m, 6h or 3d"))


def _whole(value: object, units: dict[str, int], example: str) -> int:
    if isinstance(value, str) and not value.isdecimal():
        number = _scaled(value, units, example)
    elif isinstance(value, int | str) and not isinstance(value, bool):
        number = int(value)
    else:
        raise ValueError(f"write a whole number, or one with a unit such as {example}")
    if number < 0 or number != int(number):
        raise ValueError(f"{value} does not come to a whole number of at least 0")
    return int(number)


def _size(value: object) -> int:
    return _whole(value, _BYTES, "512KiB or 1MiB")


def _count(value: object) -> int:
    return _whole(value, _COUNTS, "32k")


def _largest(value: int, units: dict[str, int]) -> str | None:
    fitting = [unit for unit, size in units.items() if value and value % size == 0 and size > 1]
    return f"{value // units[fitting[-1]]}{fitting[-1]}" if fitting else None


def written_duration(value: timedelta) -> str:
    """Return a duration as people write it, in the largest unit that leaves no fraction."""
    milliseconds = {unit: round(seconds * 1000) for unit, seconds in _SECONDS.items()}
    whole = value // timedelta(milliseconds=1)
    if value != timedelta(milliseconds=whole):
        return f"{value / timedelta(milliseconds=1)}ms"
    return _largest(whole, milliseconds) or (f"{whole}ms" if whole else "0s")


def _written_size(value: int) -> str | int:
    return _largest(value, _BYTES) or value


def _written_count(value: int) -> str | int:
    return _largest(value, _COUNTS) or value


Duration = Annotated[
    timedelta,
    BeforeValidator(_duration),
    PlainSerializer(written_duration, return_type=str, when_used="json"),
]
"""A length of time, written with its unit. A bare number is refused: nobody knows its unit."""

Size = Annotated[
    int,
    BeforeValidator(_size),
    PlainSerializer(_written_size, return_type=str | int, when_used="json"),
]
"""A number of bytes: a whole number, or one with a binary unit."""

Count = Annotated[
    int,
    BeforeValidator(_count),
    PlainSerializer(_written_count, return_type=str | int, when_used="json"),
]
"""A whole number of at least 0. `k` is a thousand, not 1,024."""
