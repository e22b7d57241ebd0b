"""The command line: it reads settings, starts a half or answers a question."""

import asyncio
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import IntEnum
from getpass import getuser
from pathlib import Path
from shlex import quote
from typing import Annotated, NoReturn, TypeVar

import typer
from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from schemas.wire import Instant
from streams import commands
from streams.console.logs import configure_logs
from streams.demo.performance import NotOursError, prepare
from streams.folder.faults import LogFaultError
from streams.folder.lock import LockedError
from streams.labels.commands import Wanted, agree, calibrate, pick_labels
from streams.labels.picking import LEAST
from streams.labels.reading import LabelsError
from streams.notify.muting import MuteRefusedError, read_duration
from streams.settings.load import load
from streams.settings.problems import SettingsError
from streams.settings.rules_file import read_rules
from streams.wiring import NotServedError, Wiring

app = typer.Typer(
    name="streamgauge",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Judge a sample of a live RAG assistant's answers, and alert when the rate of bad ones "
    "moves.",
    epilog="Exit codes: 0 done or stopped as asked; 1 it failed; 2 wrong command line or settings; "
    "3 nothing found, or not all is well.",
)

topics = typer.Typer(no_args_is_help=True, help="Make and check our topics on Kafka.")
app.add_typer(topics, name="topics")
labels = typer.Typer(no_args_is_help=True, help="Let people judge some answers, and compare.")
app.add_typer(labels, name="labels")

T = TypeVar("T")

INSTANT: TypeAdapter[datetime] = TypeAdapter(Instant)

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
        help="Where the topics are: folder:PATH, or for score kafka://HOST:PORT. Wins over the "
        "settings.",
        show_default=False,
    ),
]
Once = Annotated[bool, typer.Option("--once", help="Do what is there by now, and end.")]


class Exit(IntEnum):
    """What a command's exit code says."""

    DONE = 0
    FAILED = 1
    WRONG = 2
    NOT_WELL = 3


def _rows(name: str) -> Path:
    """Return the file or pipe that an argument names."""
    file = STDIN if name == "-" else Path(name)
    if not file.exists() or file.is_dir():
        raise typer.BadParameter(f"{name} is not there, or is a folder")
    return file


def _new_file(name: str) -> Path:
    """Return a path where nothing is yet: labels are people's work."""
    file = Path(name)
    if file.exists():
        raise typer.BadParameter(f"{name} is there already, and may hold labels: name another")
    return file


def _instant(text: str) -> datetime:
    """Return the time that an option names."""
    try:
        return INSTANT.validate_python(text)
    except ValidationError:
        raise typer.BadParameter("write a time with its zone: 2026-01-31T09:15:00Z") from None


@app.command()
def score(
    file: Annotated[
        Path | None,
        typer.Argument(
            help="A file of answers, one JSON object a line, or - for what comes through a pipe: "
            "they are judged and printed, and nothing is written anywhere. Without it: follow the "
            "traces topic.",
            parser=_rows,
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
    wiring = _wired(config, broker, changes)
    if file is None:
        _run(commands.score(wiring, once=once))
        return
    as_json = as_json or not sys.stdout.isatty()
    well = _run(commands.score_file(wiring, file, as_json=as_json))
    raise typer.Exit(Exit.DONE if well else Exit.NOT_WELL)


@app.command()
def watch(config: Config = None, broker: Broker = None, once: Once = False) -> None:
    """Keep rates from the scores, and raise alerts."""
    _run(commands.watch(_wired(config, broker), once=once))


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
    wiring, options = _wired(config, broker), _options(config, broker)
    found = _run(commands.show(wiring, name, Console(), options=options))
    raise typer.Exit(Exit.DONE if found else Exit.NOT_WELL)


@app.command()
def check(config: Config = None, broker: Broker = None) -> None:
    """Look at settings, topics and judge before anything runs."""
    well = _run(commands.check(_wired(config, broker), Console()))
    raise typer.Exit(Exit.DONE if well else Exit.NOT_WELL)


@app.command()
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
        typer.Option(
            "--from",
            help="List what stood after this time, such as 2026-01-31T09:15:00Z. What was before "
            "is known all the same.",
            parser=_instant,
            metavar="TIME",
            show_default=False,
        ),
    ] = None,
    end: Annotated[
        datetime | None,
        typer.Option(
            "--to",
            help="List what was said before this time.",
            parser=_instant,
            metavar="TIME",
            show_default=False,
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(help="Ask about a replay's run in place of live traffic.", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, as in a pipe.")] = False,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """List when alert rules would have fired on the stored scores, and what they would have seen.

    Nothing is sent and nothing is written.
    """
    try:
        sections, whole = read_rules(rules)
    except SettingsError as error:
        _refuse(error)
    wiring = _wired(rules if whole and config is None else config, broker, sections)
    asked = commands.Asked(begin, end, run)
    as_json = as_json or not sys.stdout.isatty()
    found = _run(commands.backtest(wiring, asked, Console(), as_json=as_json))
    raise typer.Exit(Exit.DONE if found else Exit.NOT_WELL)


@app.command()
def mute(
    target: Annotated[
        str,
        typer.Argument(
            metavar="ALERT|LABELS",
            help="An alert's id (its first characters will do), or labels: "
            "service_name=shop,metric=faithfulness.",
        ),
    ],
    lasts: Annotated[str, typer.Option("--for", help="How long: 90s, 30m, 2h, 3d.")] = "2h",
    by: Annotated[
        str, typer.Option(help="Who mutes. Default: the user of this shell.", show_default=False)
    ] = "",
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Tell nobody of an alert for a while. It is watched and published as ever."""
    try:
        duration = read_duration(lasts)
        wiring = _wired(config, broker)
        made = _run(commands.mute(wiring, target, lasts=duration, by=by or getuser()))
    except MuteRefusedError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(Exit.WRONG) from None
    typer.echo(f"muted until {made.until:%Y-%m-%d %H:%M} UTC by {made.by} ({made.id})")


@topics.command("create")
def topics_create(config: Config = None, broker: Broker = None) -> None:
    """Make the topics that are not there, as kafka.partitions and kafka.replication say."""
    _run(commands.create_topics(_wired(config, broker), Console()))


@topics.command("check")
def topics_check(config: Config = None, broker: Broker = None) -> None:
    """Say what is wrong with our topics, and the command that mends it."""
    well = _run(commands.check_topics(_wired(config, broker), Console()))
    raise typer.Exit(Exit.DONE if well else Exit.NOT_WELL)


@labels.command("pick")
def labels_pick(
    out: Annotated[
        Path, typer.Option(parser=_new_file, metavar="FILE", help="The file to be filled in.")
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
    found = _run(pick_labels(_wired(config, broker), out, wanted, Console()))
    raise typer.Exit(Exit.DONE if found else Exit.NOT_WELL)


Labels = Annotated[
    Path, typer.Argument(parser=_rows, metavar="FILE", help="What `labels pick` wrote, filled in.")
]


@labels.command("agree")
def labels_agree(
    file: Labels,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines, as in a pipe.")] = False,
) -> None:
    """Compare labels with verdicts: confusion, sensitivity, specificity, kappa, Spearman."""
    with _reasons():
        found = agree(file, Console(), as_json=as_json or not sys.stdout.isatty())
    raise typer.Exit(Exit.DONE if found else Exit.NOT_WELL)


@app.command("calibrate")
def calibrate_judges(
    file: Labels,
    out: Annotated[Path, typer.Option(help="What watch.calibration shall name.")] = Path(
        "calibration.json"
    ),
) -> None:
    """Write how often judges err, by labels, so that watch can correct its rates."""
    with _reasons():
        well = calibrate(file, out, Console())
    raise typer.Exit(Exit.DONE if well else Exit.NOT_WELL)


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
    except (NotOursError, OSError) as error:
        typer.echo(f"--folder {folder}: {error}", err=True)
        raise typer.Exit(Exit.WRONG) from None
    wiring = _wired(config, f"folder:{folder}")
    configure_logs(verbose=False)
    _run(commands.demo(wiring, seconds=seconds, seed=seed))


def _wired(
    config: Path | None, broker: str | None, changes: dict[str, object] | None = None
) -> Wiring:
    configure_logs(verbose=True)
    if config is None and Path("streamgauge.yaml").exists():
        config = Path("streamgauge.yaml")
    changes = dict(changes or {})
    if broker is not None:
        changes["broker"] = broker
    try:
        return Wiring(load(config, changes))
    except SettingsError as error:
        _refuse(error)


def _options(config: Path | None, broker: str | None) -> str:
    """Return what has to be written again behind another command that is about the same topics."""
    given = {"--config": config, "--broker": broker}
    return "".join(f" {name} {quote(str(v))}" for name, v in given.items() if v is not None)


def _refuse(error: SettingsError) -> NoReturn:
    for problem in error.problems:
        typer.echo(f"{problem}", err=True)
    raise typer.Exit(Exit.WRONG)


def _run(command: Coroutine[None, None, T]) -> T:
    with _reasons():
        return asyncio.run(command)


@contextmanager
def _reasons() -> Iterator[None]:
    """Say what an operator can mend in one line; let a bug show itself."""
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(Exit.DONE) from None
    except SettingsError as error:
        _refuse(error)
    except (NotServedError, LabelsError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(Exit.WRONG) from None
    except (LockedError, LogFaultError, OSError) as error:
        typer.echo(f"{type(error).__name__.removesuffix('Error')}: {error}", err=True)
        raise typer.Exit(Exit.FAILED) from None
    except ExceptionGroup as group:
        mendable, rest = group.split((LockedError, LogFaultError, OSError))
        if rest is not None or mendable is None:
            raise
        for one in mendable.exceptions:
            typer.echo(str(one), err=True)
        raise typer.Exit(Exit.FAILED) from None


def main() -> None:
    """Run the command line."""
    app()
