"""Reads a Dockerfile of one instruction a line (continued by a backslash), and a .dockerignore."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: its word, what stands behind it, and its flags."""

    word: str
    rest: str
    flags: Mapping[str, str]

    @property
    def words(self) -> list[str]:
        """Its arguments; those of the exec form."""
        found: list[str] = json.loads(self.rest) if self.rest[0] == "[" else self.rest.split()
        return found


@dataclass(frozen=True, slots=True)
class Stage:
    """What stands between one FROM and the next."""

    base: str
    name: str
    steps: tuple[Step, ...]

    def last(self, word: str) -> Step:
        """Return the last instruction of this word: the one that holds."""
        return [step for step in self.steps if step.word == word][-1]


def stages(text: str) -> list[Stage]:
    """Return a Dockerfile's stages, the arguments of their bases filled in."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    whole = [line for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines() if line.strip()]
    steps, found = [_step(line) for line in whole], list[tuple[str, str, list[Step]]]()
    arguments: dict[str, str] = {}
    for step in steps:
        if step.word == "FROM":
            base, _, name = filled(step.rest, arguments).partition(" AS ")
            found.append((base, name, []))
        elif found:
            found[-1][2].append(step)
        else:
            name, _, value = step.rest.partition("=")
            arguments[name] = value
    return [Stage(base, name, tuple(inside)) for base, name, inside in found]


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values in the places of variables."""
    return _VARIABLE.sub(lambda place: values[place[1]], text)


def assigned(rest: str) -> Iterator[tuple[str, str]]:
    """Yield what an ENV sets: values have no blanks."""
    for pair in rest.split():
        name, _, value = pair.partition("=")
        yield name, value


def _step(line: str) -> Step:
    word, _, rest = line.strip().partition(" ")
    flags = dict[str, str]()
    while rest.startswith("--"):
        flag, _, rest = rest.partition(" ")
        name, _, value = flag[2:].partition("=")
        flags[name] = value
    return Step(word, rest.strip(), flags)


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns of a .dockerignore: of those that match a path or what it lies in, the last."""

    patterns: tuple[str, ...]

    @classmethod
    def read(cls, file: Path) -> "Ignored":
        """Read them."""
        lines = (line.strip() for line in file.read_text().splitlines())
        return cls(tuple(line for line in lines if line and not line.startswith("#")))

    def __contains__(self, path: PurePosixPath) -> bool:
        """Say whether a path within the project is kept from the build."""
        ignored = False
        for pattern in self.patterns:
            if any(_matches(part, pattern.removeprefix("!")) for part in (path, *path.parents)):
                ignored = not pattern.startswith("!")
        return ignored


def _matches(path: PurePosixPath, pattern: str) -> bool:
    if pattern.startswith("**/"):
        return fnmatch(path.name, pattern.removeprefix("**/"))
    wanted = PurePosixPath(pattern).parts
    return len(wanted) == len(path.parts) and all(map(fnmatch, path.parts, wanted))
