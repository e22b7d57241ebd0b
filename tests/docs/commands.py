"""The command lines of a block, and whether our own command line understands them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from streams.cli import app
from tests.docs.pages import Block

OURS = "streamgauge"
_END = {"|", "||", "&&", ";", ">", ">>", "<", "2>", "2>&1", "&"}


def lines_of(block: Block) -> list[str]:
    """Return a block's commands, each on one line and without its comment."""
    joined = re.sub(r" *\\\n *", " ", block.text)
    bare = (_without_comment(line).removeprefix("$ ") for line in joined.splitlines())
    return [line for line in bare if line]


def ours_in(line: str) -> Iterator[list[str]]:
    """Yield the words behind each `streamgauge` that a line runs."""
    words = shlex.split(line)
    for place, word in enumerate(words):
        if word.rpartition("/")[2] == OURS and (place == 0 or _starts(words[:place])):
            rest = words[place + 1 :]
            end = next((n for n, one in enumerate(rest) if one in _END), len(rest))
            yield rest[:end]


def understand(arguments: list[str], *, here: Path, whole: bool = True) -> None:
    """Parse as our command does, and run nothing; raise what it would say.

    The current folder is `here`, where the files that are named are made, for some must be there.
    Where it is no `whole` command, arguments may be missing, or a word that stands for one.
    """
    for name in _files(arguments):
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).touch()
    command = get_command(app)
    _idle(command)
    try:
        command.main(arguments, prog_name=OURS, standalone_mode=False)
    except typer.BadParameter:
        if whole:
            raise


def _idle(command: object) -> None:
    """Leave nothing behind a command and those below it: it parses, and that is all."""
    assert isinstance(command, TyperCommand | TyperGroup)
    command.callback = None
    for below in getattr(command, "commands", {}).values():
        _idle(below)


def _files(arguments: list[str]) -> Iterator[str]:
    for before, word in zip(["", *arguments], arguments, strict=False):
        if re.fullmatch(r"[\w./-]+\.(jsonl|ya?ml|json)|ROWS|FILE", word) and before != "--out":
            yield word


def _starts(before: list[str]) -> bool:
    """Say whether what stands before leaves a command to begin: variables, or another's end."""
    return before[-1] in _END or all(re.fullmatch(r"\w+=.*", word) for word in before)


def _without_comment(line: str) -> str:
    return re.sub(r"(^|\s)#\s.*$", "", line).strip()
