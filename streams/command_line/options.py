"""Options that several commands take, what they may be given, and the exit codes."""

from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from schemas.wire import in_milliseconds
from streams.version import VERSION

STDIN = Path("/dev/stdin")


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        help="Settings file. Default: streamgauge.yaml here, if there is one; else the defaults.",
        show_default=False,
    ),
]
Broker = Annotated[
    str | None,
    typer.Option(
        "--broker",
        help="Where the topics are: folder:PATH, or kafka://HOST:PORT. Wins over the settings.",
        show_default=False,
    ),
]
Once = Annotated[bool, typer.Option("--once", help="Do what is there by now, and end.")]

AsJson = Annotated[bool, typer.Option("--json", help="JSON lines, as in a pipe.")]


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"streamgauge {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version", help="Say which version this is.", callback=_tell_version, is_eager=True
    ),
]


class Exit(IntEnum):
    """What a command's exit code says."""

    DONE = 0
    FAILED = 1
    WRONG = 2
    NOT_WELL = 3
    HALTED = 4
    TAKEN = 5
    CUT_OFF = 143


def rows(name: str) -> Path:
    """Return the file or pipe that an argument names."""
    file = STDIN if name == "-" else Path(name)
    if not file.exists() or file.is_dir():
        raise typer.BadParameter(f"{name} is not there, or is a folder")
    return file


def new_file(name: str) -> Path:
    """Return a path where nothing is yet: labels are people's work."""
    file = Path(name)
    if file.exists():
        raise typer.BadParameter(f"{name} is there already, and may hold labels: name another")
    return file


def instant(text: str) -> datetime:
    """Return the time that an option names. A bare number is none: is 2026 a year, or seconds?"""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise typer.BadParameter("write a time with its zone: 2026-01-31T09:15:00Z")
    return in_milliseconds(at)


def time_option(name: str, *, means: str) -> OptionInfo:
    """Return an option of a command that is told a time, or none."""
    made: OptionInfo = typer.Option(
        name, help=means, parser=instant, metavar="TIME", show_default=False
    )
    return made
