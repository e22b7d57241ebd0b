"""Comparing what came out with what a case expects: only what it names, numbers within 1e-9."""

import math
from typing import Any

ABSENT = "(absent)"


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Return one line for each difference. Objects may hold more than is expected of them."""
    if isinstance(expected, dict):
        if not isinstance(actual, dict):
            return [_line(path, expected, actual)]
        return [
            line
            for key, value in expected.items()
            for line in differences(value, actual.get(key, ABSENT), f"{path}.{key}".lstrip("."))
        ]
    if isinstance(expected, list):
        if not isinstance(actual, list | tuple) or len(actual) != len(expected):
            return [_line(path, expected, actual)]
        pairs = zip(expected, actual, strict=True)
        return [
            line
            for place, (wanted, got) in enumerate(pairs)
            for line in differences(wanted, got, f"{path}[{place}]")
        ]
    return [] if _equal(expected, actual) else [_line(path, expected, actual)]


def _equal(expected: Any, actual: Any) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return math.isclose(expected, actual, rel_tol=0, abs_tol=1e-9)
    return bool(expected == actual)


def _line(path: str, expected: Any, actual: Any) -> str:
    return f"{path or 'result'}: expected {expected!r}, got {actual!r}"
