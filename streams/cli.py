"""The command line: every command by its name."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from streams.command_line import dead, labels, topics
from streams.command_line.alerts import backtest, mute
from streams.command_line.labels import calibrate_judges
from streams.command_line.options import Broker, Config, Exit, Once, Version, rows
from streams.command_line.replay import EXIT_CODES, replay
from streams.command_line.running import leave, options, run, wired
from streams.commands import checking, scoring, showing, watching
from streams.commands.assembling import assemble as assembling
from streams.console.logs import configure_logs
from streams.demo.performance import ForeignFolderError, perform, prepare

app = typer.Typer(
    name="streamgauge",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Judge a sample of a live RAG assistant's answers, and alert when the rate of bad ones "
    "moves.",
    epilog="Exit codes: 0 done or stopped as asked; 1 it failed; 2 wrong command line or settings; "
    "3 nothing found, or not all is well; 4 and 5: see replay; 70 it did not leave in time; "
    "143 SIGTERM came before it ran.",
)
app.add_typer(topics.app, name="topics")
app.add_typer(labels.app, name="labels")
app.add_typer(dead.app, name="dead")
app.command()(backtest)
app.command()(mute)
app.command(epilog=EXIT_CODES)(replay)
app.command("calibrate")(calibrate_judges)


@app.callback()
def streamgauge(version: Version = False) -> None:
    """Take the options that stand before every command."""


@app.command()
def score(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A file of answers, one JSON object a line, or - for what comes through a pipe: "
            "they are judged and printed, and nothing is written anywhere. Without it: follow the "
            "traces topic.",
            parser=rows,
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    config: Config = None,
    broker: Broker = None,
    once: Once = False,
    sampling_probability: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="The chance of a row. Default: the settings'; for a FILE, every row.",
            show_default=False,
        ),
    ] = None,
    assistant: Annotated[
        str | None,
        typer.Option(
            help="service/environment of every row, where the rows do not say it.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="With FILE: events as JSON lines, as in a pipe.")
    ] = False,
) -> None:
    """Judge answers: those in FILE, or those that come on the traces topic."""
    changes: dict[str, object] = {}
    if file is not None or sampling_probability is not None:
        chance = 1.0 if sampling_probability is None else sampling_probability
        changes["sampling"] = {"probability": chance}
    if assistant is not None:
        changes["intake"] = {"assistant": assistant}
    wiring = wired(config, broker, changes)
    if file is None:
        well = run(scoring.score(wiring, once=once))
        leave(well=well)
    as_json = as_json or not sys.stdout.isatty()
    well = run(scoring.score_file(wiring, file, as_json=as_json))
    leave(well=well)


@app.command()
def watch(config: Config = None, broker: Broker = None, once: Once = False) -> None:
    """Keep rates from the scores, and raise alerts."""
    run(watching.watch(wired(config, broker), once=once))


@app.command()
def assemble(config: Config = None, broker: Broker = None, once: Once = False) -> None:
    """Make rows of OpenTelemetry spans, in whatever order and pieces a trace comes."""
    run(assembling(wired(config, broker), once=once))


@app.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="TRACE|ALERT",
            help="A trace id; an alert's id (its first characters will do), or last-alert.",
        ),
    ],
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Say why a trace was sampled and which claim failed, or what an alert saw."""
    asked, again = wired(config, broker), options(config, broker)
    found = run(showing.show(asked, name, Console(), options=again))
    leave(well=found)


@app.command()
def check(config: Config = None, broker: Broker = None) -> None:
    """Look at settings, topics and judge before anything runs."""
    well = run(checking.check(wired(config, broker), Console()))
    leave(well=well)


@app.command()
def demo(
    folder: Annotated[Path, typer.Option(help="Where the demo's topics are left.")] = Path(
        "streamgauge-demo"
    ),
    seconds: Annotated[
        float, typer.Option(min=1, help="How long the play takes. It never outruns the scoring.")
    ] = 60,
    seed: Annotated[int, typer.Option(help="The same seed plays the same answers.")] = 7,
) -> None:
    """Play two invented assistants, one of which gets a bad release, and watch it be found."""
    try:
        config = prepare(folder)
    except (ForeignFolderError, OSError) as error:
        typer.echo(f"--folder {folder}: {error}", err=True)
        raise typer.Exit(Exit.WRONG) from None
    wiring = wired(config, f"folder:{folder}")
    configure_logs(verbose=False)
    run(perform(wiring, seconds=seconds, seed=seed, console=Console()))


def main() -> None:
    """Run the command line."""
    app()
