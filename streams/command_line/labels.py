"""`labels pick`, `labels agree` and `calibrate`."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from streams.command_line.options import AsJson, Broker, Config, new_file, rows
from streams.command_line.running import leave, reasons, run, wired
from streams.commands.labels import Wanted, agree, calibrate, pick_labels
from streams.labels.picking import LEAST

app = typer.Typer(no_args_is_help=True, help="Let people judge some answers, and compare.")


@app.command("pick")
def labels_pick(
    out: Annotated[
        Path, typer.Option(parser=new_file, metavar="FILE", help="The file to be filled in.")
    ] = Path("labels.jsonl"),
    count: Annotated[int, typer.Option(min=LEAST, help="How many answers of each scorer.")] = 200,
    scorer: Annotated[
        str | None, typer.Option(help="Of this scorer only.", show_default=False)
    ] = None,
    salt: Annotated[str, typer.Option(help="Another salt picks other answers.")] = "labels",
    show_verdicts: Annotated[
        bool, typer.Option("--show-verdicts", help="Let people see what the judge said.")
    ] = False,
    records: Annotated[
        int, typer.Option(min=1, help="How far back the scores are read, in records.")
    ] = 200_000,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Draw judged answers worth a person's look, each with a known chance, into a file."""
    wanted = Wanted(count, scorer, salt, not show_verdicts, records)
    found = run(pick_labels(wired(config, broker), out, wanted, Console()))
    leave(well=found)


Labels = Annotated[
    Path, typer.Argument(parser=rows, metavar="FILE", help="What `labels pick` wrote, filled in.")
]


@app.command("agree")
def labels_agree(
    file: Labels,
    as_json: AsJson = False,
) -> None:
    """Compare labels with verdicts: confusion, sensitivity, specificity, kappa, Spearman."""
    with reasons():
        found = agree(file, Console(), as_json=as_json or not sys.stdout.isatty())
    leave(well=found)


def calibrate_judges(
    file: Labels,
    out: Annotated[Path, typer.Option(help="What watch.calibration shall name.")] = Path(
        "calibration.json"
    ),
) -> None:
    """Write how often judges err, by labels, so that watch can correct its rates."""
    with reasons():
        well = calibrate(file, out, Console())
    leave(well=well)
