"""`backtest` and `mute`: what people ask of alert rules, and of those that fire."""

import sys
from datetime import datetime
from getpass import getuser
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from streams.command_line.options import AsJson, Broker, Config, Exit, time_option
from streams.command_line.running import leave, refuse, run, wired
from streams.commands import alerts
from streams.notify.muting import MuteRefusedError, read_duration
from streams.settings.problems import SettingsError
from streams.settings.rules_file import read_rules


def backtest(
    rules: Annotated[
        Path,
        typer.Argument(
            metavar="RULES.yaml",
            help="A file with a section alerts: or a whole settings file.",
            exists=True,
            dir_okay=False,
        ),
    ],
    begin: Annotated[
        datetime | None,
        time_option(
            "--from",
            means="List what stood after this time, such as 2026-01-31T09:15:00Z. What was before "
            "is known all the same.",
        ),
    ] = None,
    end: Annotated[
        datetime | None, time_option("--to", means="List what was said before this time.")
    ] = None,
    replay: Annotated[
        str | None,
        typer.Option(
            "--run", help="Ask about a replay's run in place of live traffic.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """List when alert rules would have fired on the stored scores, and what they would have seen.

    Nothing is sent and nothing is written.
    """
    try:
        sections, whole = read_rules(rules)
    except SettingsError as error:
        refuse(error)
    wiring = wired(rules if whole and config is None else config, broker, sections)
    asked = alerts.Asked(begin, end, replay)
    as_json = as_json or not sys.stdout.isatty()
    found = run(alerts.backtest(wiring, asked, Console(), as_json=as_json))
    leave(well=found)


def mute(
    target: Annotated[
        str,
        typer.Argument(
            metavar="ALERT|LABELS",
            help="An alert's id (its first characters will do), or labels: "
            "service_name=shop,metric=faithfulness.",
        ),
    ],
    lasts: Annotated[
        str, typer.Option("--for", help="How long: 90s, 30m, 2h, 3d; 0s lifts it.")
    ] = "2h",
    by: Annotated[
        str, typer.Option(help="Who mutes. Default: the user of this shell.", show_default=False)
    ] = "",
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Tell nobody of an alert for a while. It is watched and published as ever."""
    try:
        duration = read_duration(lasts)
        wiring = wired(config, broker)
        made, hits = run(alerts.mute(wiring, target, lasts=duration, by=by or getuser()))
    except MuteRefusedError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(Exit.WRONG) from None
    if not duration:
        typer.echo(f"no longer muted, by {made.by} ({made.id})")
        return
    typer.echo(f"muted until {made.until:%Y-%m-%d %H:%M} UTC by {made.by} ({made.id})")
    if not hits:
        typer.echo("no alert so far is covered by it: it waits for one", err=True)
