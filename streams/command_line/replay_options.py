"""What `replay` can be told, and what each of it may be."""

import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from streams.address import LIVE
from streams.command_line.options import rows, time_option
from streams.replay.asked import run_name, shard

T = TypeVar("T")


def _read(read: Callable[[str], T]) -> Callable[[str], T]:
    """Return a parser that says in the command line's words what is wrong."""

    def parse(text: str) -> T:
        try:
            return read(text)
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong)) from None

    return parse


def _side(text: str) -> str:
    return text if text == LIVE else run_name(text)


def _file(name: str) -> Path:
    """Return the file of rows that an argument names."""
    file = rows(name)
    if not file.is_file():
        raise typer.BadParameter("a pipe cannot be read again after a stop: write it to a file")
    return file


def _page(text: str) -> Path:
    """Return where a page can be written: a run may take hours until it is."""
    file = Path(text)
    if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
        raise typer.BadParameter(f"{text} cannot be written: name a file in a folder that is there")
    return file


RunName = Annotated[
    str,
    typer.Option(
        "--run",
        help="The run's name. Of one that has begun, what is left goes on as it began.",
        parser=_read(run_name),
        metavar="RUN",
    ),
]

Rows = Annotated[
    Path | None,
    typer.Argument(
        help="A file of answers, one JSON object a line, in place of the traces topic.",
        parser=_file,
        metavar="FILE",
        show_default=False,
    ),
]

From = Annotated[
    datetime | None,
    time_option(
        "--from",
        means="The first time of the rows' records, such as 2026-01-31T09:15:00Z. Default: "
        "that of the first row there is.",
    ),
]

To = Annotated[
    datetime | None,
    time_option("--to", means="The time before which they end. Default: what is there now."),
]

Part = Annotated[
    str | None,
    typer.Option(
        "--shard",
        help="Work on one of several parts, each in its own process: 1/4. Partitions are "
        "shared out.",
        parser=_read(shard),
        metavar="I/N",
        show_default=False,
    ),
]

Probability = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=1,
        help="Draw rows at least with this chance: those that live scoring draws, and more.",
        show_default=False,
    ),
]

Again = Annotated[
    bool,
    typer.Option("--again", help="Buy verdicts anew, though they are on the scores topic."),
]

Budget = Annotated[
    list[str] | None,
    typer.Option(
        help="Stop in order when the run has spent so much, in all: 12.50usd or 2000calls. "
        "May be given for both. The run keeps it until another is given; none lifts it.",
        show_default=False,
    ),
]

DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Count rows, calls, tokens and cost, and do nothing."),
]

Against = Annotated[
    str | None,
    typer.Option(
        help="Compare the run, row by row, with another one or with live.",
        parser=_read(_side),
        metavar="RUN|live",
        show_default=False,
    ),
]

Html = Annotated[
    Path | None,
    typer.Option(
        help="Write the comparison to this file, too.",
        parser=_page,
        metavar="PAGE.html",
        show_default=False,
    ),
]

Rules = Annotated[
    Path | None,
    typer.Option(
        "--backtest",
        help="Say what these alert rules would have done on the run.",
        exists=True,
        dir_okay=False,
        metavar="RULES.yaml",
        show_default=False,
    ),
]
