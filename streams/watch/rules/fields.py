"""What the keys of alert rules are made of."""

import re
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

RULE = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
"""A rule is read from a file: it cannot be changed, and a key that nobody reads is refused."""

RESERVED = frozenset(
    {"alertname", "service_name", "environment", "metric", "severity", "cause", "team"}
)
"""Labels of every alert: no segment may be called so."""


_UNFIT = re.compile(r"[^a-zA-Z0-9_]")


def label_name(attribute: str) -> str:
    """Return an attribute's name with nothing in it but letters, digits and underscores."""
    name = _UNFIT.sub("_", attribute)
    return f"_{name}" if name[:1].isdigit() else name


def _free(name: str) -> str:
    if label_name(name) in RESERVED:
        raise ValueError(f"{name} is a label of every alert: watch another attribute")
    return name


def _in_a_line(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("write a name that people can read, in one line")
    return name


Name = Annotated[str, Field(max_length=100), AfterValidator(_in_a_line)]
Share = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Evaluations = Annotated[int, Field(ge=1, le=1440, alias="for")]
"""How many evaluations in a row, one a minute, have to find it before it fires: a day's at most."""
Attribute = Annotated[str, Field(min_length=1), AfterValidator(_free)]
"""An attribute of `watch.segments`."""
