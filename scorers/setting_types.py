"""The kinds of values that settings take, and how every section of them behaves."""

import re
from datetime import timedelta
from typing import Annotated

import httpx
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field

from schemas.quantities import Count, Duration

SECTION = ConfigDict(
    frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
)
"""How every section behaves: fixed once read, no unknown key, each key explained beside it."""


def _no_boolean(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("write a number, not true or false")  # noqa: TRY004 - pydantic's protocol
    return value


def _http_url(url: str) -> str:
    if not re.fullmatch(r"https?://[^\s/]\S*", url):
        raise ValueError("write an address that begins with https:// or http://")
    try:
        parts = httpx.URL(url)
    except httpx.InvalidURL:
        raise ValueError("is no address") from None
    if parts.userinfo:
        raise ValueError("keys stand in the environment alone: leave them out of the address")
    return url


def _some(values: tuple[object, ...]) -> tuple[object, ...]:
    if not values:
        raise ValueError("write one at least")
    return values


NUMBER = BeforeValidator(_no_boolean)
"""Of a number: true and false would count as 1 and 0."""
Probability = Annotated[float, NUMBER, Field(gt=0, le=1)]
Share = Annotated[float, NUMBER, Field(ge=0, le=1)]
Real = Annotated[float, NUMBER]
Whole = Annotated[int, NUMBER, Field(ge=1)]
Retries = Annotated[int, NUMBER, Field(ge=0, le=5)]
PositiveCount = Annotated[Count, Field(ge=1)]
PositiveDuration = Annotated[Duration, Field(gt=timedelta(0))]
Money = Annotated[float, NUMBER, Field(ge=0)]
HttpUrl = Annotated[str, AfterValidator(_http_url)]
Text = Annotated[str, Field(min_length=1)]
NotEmpty = AfterValidator(_some)
"""Of a list. (`min_length` would complain once more about a list with a wrong item.)"""
