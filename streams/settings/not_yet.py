"""Keys that only a later version serves: set to anything but their default, they are refused.

A key that nothing reads must not be accepted, for its owner would believe that it works.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from streams.settings.problems import Problem

NOT_YET: Mapping[str, str] = {
    "sampling.weights": "rates speak of the rows on the topic only: write observed",
}
"""The keys that only a later version serves, and what to write until then."""


def not_yet(settings: BaseModel, defaults: BaseModel) -> Iterator[Problem]:
    """Yield the keys that are set to something that nothing would read."""
    for path, until_then in NOT_YET.items():
        section, _, key = path.rpartition(".")
        mine, theirs = _at(settings, section), _at(defaults, section)
        if mine is not None and getattr(mine, key) != getattr(theirs, key):
            yield Problem(path, until_then)


def _at(model: object, path: str) -> Any:
    """Return what stands at a path, None where a section on the way is off."""
    for step in filter(None, path.split(".")):
        model = getattr(model, step, None)
    return model
