"""`replay`: its options, and what its exit codes say."""

import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from rich.console import Console

from streams.command_line.options import AsJson, Broker, Config, Exit, instant, rows
from streams.command_line.running import options, refuse, run, wired
from streams.commands import alerts, comparing, rehearsing, replaying
from streams.commands.replaying import Ending
from streams.replay.asked import LIVE, Asked, limit, run_name, shard
from streams.settings.problems import SettingsError
from streams.settings.rules_file import read_rules
from streams.wiring.broker import Wiring

T = TypeVar("T")

_CODES = {
    Ending.COMPLETE: Exit.DONE,
    Ending.WITH_GAPS: Exit.NOT_WELL,
    Ending.HALTED: Exit.HALTED,
}


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


def replay(
    name: Annotated[
        str,
        typer.Option(
            "--run",
            help="The run's name. Of one that has begun, what is left goes on as it began.",
            parser=_read(run_name),
            metavar="RUN",
        ),
    ],
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A file of answers, one JSON object a line, in place of the traces topic.",
            parser=rows,
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    begin: Annotated[
        datetime | None,
        typer.Option(
            "--from",
            help="The first time of the rows' records, such as 2026-01-31T09:15:00Z. Default: "
            "that of the first row there is.",
            parser=instant,
            metavar="TIME",
            show_default=False,
        ),
    ] = None,
    end: Annotated[
        datetime | None,
        typer.Option(
            "--to",
            help="The time before which they end. Default: what is there now.",
            parser=instant,
            metavar="TIME",
            show_default=False,
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--shard",
            help="Work on one of several parts, each in its own process: 1/4. Partitions are "
            "shared out.",
            parser=_read(shard),
            metavar="I/N",
            show_default=False,
        ),
    ] = None,
    probability: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Draw rows at least with this chance: those that live scoring draws, and more.",
            show_default=False,
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option("--again", help="Buy verdicts anew, though they are on the scores topic."),
    ] = False,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            help="Stop in order when the run has spent so much, in all: 12.50usd or 2000calls. "
            "May be given for both, and raised later.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Count rows, calls, tokens and cost, and do nothing."),
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            help="Compare the run, row by row, with another one or with live.",
            parser=_read(_side),
            metavar="RUN|live",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the comparison to this file, too.", show_default=False),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(
            "--backtest",
            help="Say what these alert rules would have done on the run.",
            exists=True,
            dir_okay=False,
            metavar="RULES.yaml",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Judge what a topic, or a file, holds from one time to another: a backfill.

    It changes no live figure and alerts nobody. Killed or stopped, the same command goes on.

    Exit codes: 0 complete; 1 it failed; 2 wrong command line or settings; 3 complete, but rows that
    were asked for are gone, or there is nothing to compare; 4 stopped before its end: by a signal,
    its budget, or a judge that refuses everyone; 5 another process works on this run.
    """
    try:
        spendable = limit(budget or [])
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--budget") from None
    asked = Asked(
        run=name,
        file=file,
        begin=begin,
        end=end,
        shard=part,  # type: ignore[arg-type]  # what its parser returns
        probability=probability,
        again=again,
        limit=spendable,
    )
    wiring = wired(config, broker)
    as_json = as_json or not sys.stdout.isatty()
    if dry_run:
        run(rehearsing.rehearse(wiring, asked, Console(), as_json=as_json))
        return
    ending = run(replaying.replay(wiring, asked))
    code = _CODES[ending]
    if ending is not Ending.HALTED:
        again = options(config, broker)
        found = _compared(wiring, name, against, html=html, as_json=as_json, again=again)
        found = _ruled(config, broker, name, rules, as_json=as_json) and found
        code = code if found else Exit.NOT_WELL
    raise typer.Exit(code)


def _compared(
    wiring: Wiring,
    name: str,
    against: str | None,
    *,
    html: Path | None,
    as_json: bool,
    again: str,
) -> bool:
    """Print how the run differs from another, if that was asked. Returns whether there was one.

    `again` is what has to be written behind other commands about the same topics.
    """
    if against is None:
        return True
    comparison = comparing.compare(
        wiring,
        name,
        against,
        console=Console(),
        as_json=as_json,
        html=html,
        options=again,
    )
    return run(comparison)


def _ruled(
    config: Path | None, broker: str | None, name: str, rules: Path | None, *, as_json: bool
) -> bool:
    """Print what alert rules would have done on the run, if that was asked."""
    if rules is None:
        return True
    try:
        sections, whole = read_rules(rules)
    except SettingsError as error:
        refuse(error)
    wiring = wired(rules if whole and config is None else config, broker, sections)
    asked = alerts.Asked(run=name)
    return run(alerts.backtest(wiring, asked, Console(), as_json=as_json))
