"""`dead list` and `dead redrive`."""

import sys
from datetime import timedelta
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError
from rich.console import Console

from schemas.quantities import Duration
from schemas.wire import to_milliseconds
from streams.command_line.options import AsJson, Broker, Config, instant
from streams.command_line.running import leave, run, wired
from streams.commands.dead import Shown, list_letters, redrive, say_redriven
from streams.dead.letters import Wanted
from streams.dead.redriving import RedriveLimits
from streams.pace import now

app = typer.Typer(no_args_is_help=True, help="Look at what could not be read, and send it back.")

_DURATION: TypeAdapter[timedelta] = TypeAdapter(Duration)


def _since(text: str) -> int:
    """Return the time that an option names, or that was so long ago."""
    try:
        return to_milliseconds(now() - _DURATION.validate_python(text))
    except OverflowError:
        raise typer.BadParameter("that is too long ago") from None
    except ValidationError:
        return to_milliseconds(instant(text))


Reason = Annotated[
    str | None,
    typer.Option("--reason", help="With this code only (docs/messages.md).", show_default=False),
]
Assistant = Annotated[
    str | None,
    typer.Option(
        "--assistant",
        help="Of this one only: service/environment; unknown/unknown where rows do not say it.",
        show_default=False,
    ),
]
Since = Annotated[
    int | None,
    typer.Option(
        "--since",
        parser=_since,
        metavar="AGO|TIME",
        help="Set aside since then: 30m, 2h, 3d, or 2026-01-31T09:15:00Z.",
        show_default=False,
    ),
]


@app.command("list")
def dead_list(
    reason: Reason = None,
    assistant: Assistant = None,
    since: Since = None,
    limit: Annotated[int, typer.Option(min=1, help="How many letters, the latest.")] = 20,
    payload: Annotated[
        bool, typer.Option("--payload", help="With their bytes: raw, unredacted data.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Count dead letters by reason, and list the latest: where from, why, how often."""
    shown = Shown(limit, payload, as_json or not sys.stdout.isatty())
    wanted = Wanted(reason, assistant, since)
    found = run(list_letters(wired(config, broker), wanted, shown, Console()))
    leave(well=found)


@app.command("redrive")
def dead_redrive(
    reason: Reason = None,
    assistant: Assistant = None,
    since: Since = None,
    cap: Annotated[int, typer.Option(min=1, help="How many letters at most.")] = 1000,
    rate: Annotated[float, typer.Option(min=0.1, help="How many a second at most.")] = 50,
    max_redrives: Annotated[
        int, typer.Option(min=1, help="Leave letters that came back so often.")
    ] = 3,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do it. Without this it is only said what would go.")
    ] = False,
    as_json: AsJson = False,
    config: Config = None,
    broker: Broker = None,
) -> None:
    """Send dead letters back to the traces topic, the oldest up to --cap, each once.

    A row that fails again becomes a letter again, which says how often that was. Mend the cause
    first: too many unreadable rows stop a partition.
    """
    wanted, limits = Wanted(reason, assistant, since), RedriveLimits(cap, rate, max_redrives)
    done = run(redrive(wired(config, broker), wanted, limits, dry=not yes))
    say_redriven(done, Console(), as_json=as_json or not sys.stdout.isatty())
    leave(well=bool(done.chosen.goes))
