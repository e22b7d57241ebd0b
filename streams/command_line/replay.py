"""`replay`: its options, and what its exit codes say."""

import sys
from pathlib import Path

import typer
from rich.console import Console

from streams.command_line.options import AsJson, Broker, Config, Exit
from streams.command_line.replay_options import (
    Again,
    Against,
    Budget,
    DryRun,
    From,
    Html,
    Part,
    Probability,
    Rows,
    Rules,
    RunName,
    To,
)
from streams.command_line.running import options, refuse, run, wired
from streams.commands import alerts, comparing, rehearsing, replaying
from streams.commands.replaying import Ending
from streams.replay.asked import Asked, Limit, limit
from streams.settings.problems import SettingsError
from streams.settings.rules_file import read_rules
from streams.wiring.broker import Wiring

_CODE_OF = {
    Ending.COMPLETE: Exit.DONE,
    Ending.WITH_GAPS: Exit.NOT_WELL,
    Ending.HALTED: Exit.HALTED,
}

EXIT_CODES = (
    "Exit codes: 0 complete; 1 it failed; 2 wrong command line or settings; 3 complete, but rows "
    "that were asked for are gone, or there is nothing to compare; 4 stopped before its end: by a "
    "signal, its budget, or a judge that refuses everyone; 5 another process works on this run."
)
"""What stands at the end of the command's help."""


def replay(
    name: RunName,
    file: Rows = None,
    begin: From = None,
    end: To = None,
    part: Part = None,
    probability: Probability = None,
    again: Again = False,
    budget: Budget = None,
    dry_run: DryRun = False,
    against: Against = None,
    html: Html = None,
    rules: Rules = None,
    as_json: AsJson = False,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Judge what a topic, or a file, holds from one time to another: a backfill.

    It changes no live figure and alerts nobody. Killed or stopped, the same command goes on.
    """
    asked = Asked(
        run=name,
        file=file,
        begin=begin,
        end=end,
        shard=part,  # type: ignore[arg-type]  # what its parser returns
        probability=probability,
        again=again,
        limit=_limited(budget or []),
        known=(against is not None or rules is not None)
        and (begin, end, file, budget) == (None,) * 4,
    )
    if html is not None and against is None:
        raise typer.BadParameter("it is the comparison's page: give --against", param_hint="--html")
    if against == name:
        raise typer.BadParameter("name another run, or live", param_hint="--against")
    wiring = wired(config, broker)
    if file is not None and wiring.on_kafka:
        raise typer.BadParameter(
            "a file's verdicts go to a folder's topics: give --broker folder:PATH",
            param_hint="FILE",
        )
    ruled = None if rules is None else _ruled_by(rules, config, broker)
    as_json = as_json or not sys.stdout.isatty()
    if against is not None:
        run(comparing.refuse_unknown(wiring, against))
    if dry_run:
        run(rehearsing.rehearse(wiring, asked, Console(), as_json=as_json))
        return
    ending = run(replaying.replay(wiring, asked))
    code = _CODE_OF[ending]
    if ending is not Ending.HALTED:
        same = options(config, broker)
        found = _compared(wiring, name, against, html=html, as_json=as_json, same=same)
        found = _backtested(ruled, name, as_json=as_json) and found
        code = code if found else Exit.NOT_WELL
    raise typer.Exit(code)


def _limited(budget: list[str]) -> Limit | None:
    try:
        return limit(budget)
    except ValueError as wrong:
        raise typer.BadParameter(str(wrong), param_hint="--budget") from None


def _compared(
    wiring: Wiring,
    name: str,
    against: str | None,
    *,
    html: Path | None,
    as_json: bool,
    same: str,
) -> bool:
    """Print how the run differs from another, if that was asked. Returns whether there was one.

    `same` is what has to be written behind other commands about the same topics.
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
        options=same,
    )
    return run(comparison)


def _ruled_by(rules: Path, config: Path | None, broker: str | None) -> Wiring:
    """Return the parts with those alert rules; say what is wrong with them and exit."""
    try:
        sections, whole = read_rules(rules)
    except SettingsError as error:
        refuse(error)
    return wired(rules if whole and config is None else config, broker, sections)


def _backtested(ruled: Wiring | None, name: str, *, as_json: bool) -> bool:
    """Print what alert rules would have done on the run, if that was asked."""
    if ruled is None:
        return True
    return run(alerts.backtest(ruled, alerts.Asked(run=name), Console(), as_json=as_json))
