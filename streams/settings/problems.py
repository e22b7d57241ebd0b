"""What is wrong with the settings, in lines that an operator can act on. Never quotes a value."""

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from streams.settings.keys import annotation_at, fields_of, section_in


class Problem(NamedTuple):
    """One thing that is wrong: where, and what to do about it."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class SettingsError(Exception):
    """The settings cannot be used. `problems` are all that were found, in order of their paths."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(map(str, self.problems)))


_SAID = {
    "missing": "has to be given",
    "tuple_type": "write a list",
    "dict_type": "write a mapping of keys to values",
    "model_type": "write a mapping of keys to values",
    "model_attributes_type": "write a mapping of keys to values",
    "string_type": "write text; a number or yes and no as text stand in quotes",
    "union_tag_not_found": "kind has to be given",
}
"""What pydantic says in the words of Python, said in those of YAML."""


def problems_of(error: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Return what pydantic found, in this project's words."""
    return [_problem(detail, model) for detail in error.errors(include_url=False)]


def closest(name: str, known: Iterable[str]) -> str:
    """Return the words that suggest a known name for an unknown one, or none."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _problem(detail: ErrorDetails, model: type[BaseModel]) -> Problem:
    steps = [str(step) for step in detail["loc"] if step != "[key]"]
    if steps[0] == "alerts":
        del steps[2:3]  # alerts.INDEX.KIND.key
    path = ".".join(steps)
    if detail["type"] == "extra_forbidden":
        section = model if len(steps) == 1 else section_in(annotation_at(model, steps[:-1]))
        known = fields_of(section) if section else ()
        return Problem(path, "there is no such key" + closest(steps[-1], known))
    if detail["type"] == "union_tag_invalid":
        return Problem(path, f"kind has to be one of {detail['ctx']['expected_tags']}")
    message = detail["msg"].removeprefix("Value error, ").replace("Input should", "should")
    return Problem(path, _SAID.get(detail["type"], message))
