"""How variables change keys: SECTION__KEY by its path, lists and mappings as JSON. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from streams.settings.keys import annotation_at, keys_of, takes_json
from streams.settings.problems import closest

PREFIX = "STREAMGAUGE_"


def variable_of(path: str) -> str:
    """Return the name of the variable that changes a key."""
    return PREFIX + path.upper().replace(".", "__")


def wrong_with(name: str, value: str, model: type[BaseModel]) -> str | None:
    """Return what is wrong with a variable before its value is looked at, None for nothing."""
    annotation = annotation_at(model, name.removeprefix(PREFIX).lower().split("__"))
    if annotation is None:
        return "there is no such key" + closest(name, map(variable_of, keys_of(model)))
    if takes_json(annotation) and value != "null":
        try:
            json.loads(value)
        except ValueError:
            return "a list or a mapping is written as JSON here"
    return None


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Return both, with what lies over winning key by key."""
    result = dict(under)
    for name, value in over.items():
        below = under.get(name)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            result[name] = merged(below, value)
        else:
            result[name] = value
    return result
