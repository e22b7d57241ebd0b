"""Checks on what a scorer is constructed with: a wrong value is refused before any row is read."""

import math
import re

_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")


class ParameterError(ValueError):
    """A parameter cannot have this value. `name` is the parameter's, as the settings spell it."""

    def __init__(self, name: str, wrong: str) -> None:
        super().__init__(f"{name} {wrong}")
        self.name = name
        self.wrong = wrong


def label(name: str, value: object) -> None:
    """Refuse what cannot stand as it is in a metric's label, a topic's key and a file."""
    if not isinstance(value, str) or not _LABEL.fullmatch(value):
        raise ParameterError(name, "must be a letter, then up to 63 of A-Z a-z 0-9 _ . -")


def whole(name: str, value: int, *, least: int, most: int | None = None) -> None:
    """Refuse what is no integer, or lies outside `least` to `most` (both allowed)."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(name, "must be an integer")
    number(name, value, least=least, most=most)


def number(
    name: str,
    value: float,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
) -> None:
    """Refuse what is no finite number, below `least`, over `most`, or not over `above`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ParameterError(name, "must be a finite number")
    if least is not None and value < least:
        raise ParameterError(name, f"must be at least {least}")
    if most is not None and value > most:
        raise ParameterError(name, f"must be at most {most}")
    if above is not None and value <= above:
        raise ParameterError(name, f"must be greater than {above}")
