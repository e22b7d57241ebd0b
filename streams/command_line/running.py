"""Running a command: its settings, its event loop, and one line for what an operator can mend."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import NoReturn, TypeVar

import typer

from streams.assemble.otlp import ExtraMissingError
from streams.command_line.options import Exit
from streams.console.logs import configure_logs
from streams.folder.faults import LogFaultError
from streams.folder.lock import LockedError
from streams.kafka.anchor import TopicChangedError
from streams.labels.reading import LabelsError
from streams.live import heeding
from streams.replay.lease import LeaseLostError, LeaseTakenError
from streams.replay.planning import ReplayRefusedError
from streams.settings.load import load
from streams.settings.problems import SettingsError
from streams.wiring.broker import NotServedError, Wiring

T = TypeVar("T")

_WRONG = (NotServedError, LabelsError, ExtraMissingError, ReplayRefusedError)
_TAKEN = (LeaseTakenError, LeaseLostError)
_MENDABLE = (LockedError, LogFaultError, TopicChangedError, OSError)


def wired(
    config: Path | None, broker: str | None, changes: dict[str, object] | None = None
) -> Wiring:
    """Return the parts by file, options and environment; say what is wrong with them and exit."""
    configure_logs(verbose=True)
    if config is None and Path("streamgauge.yaml").exists():
        config = Path("streamgauge.yaml")
    changes = dict(changes or {})
    if broker is not None:
        changes["broker"] = broker
    try:
        return Wiring(load(config, changes))
    except SettingsError as error:
        refuse(error)


def options(config: Path | None, broker: str | None) -> str:
    """Return what has to be written again behind another command that is about the same topics."""
    given = {"--config": config, "--broker": broker}
    return "".join(f" {name} {quote(str(v))}" for name, v in given.items() if v is not None)


def refuse(error: SettingsError) -> NoReturn:
    """Print each problem with its key, and exit."""
    for problem in error.problems:
        typer.echo(f"{problem}", err=True)
    raise typer.Exit(Exit.WRONG)


def leave(*, well: bool) -> NoReturn:
    """End the command: what it was to find, or to find well, is there or not."""
    raise typer.Exit(Exit.DONE if well else Exit.NOT_WELL)


def run(command: Coroutine[None, None, T]) -> T:
    """Run a command to its end."""
    with reasons():
        try:
            return asyncio.run(heeding(command))
        except asyncio.CancelledError:
            raise typer.Exit(Exit.CUT_OFF) from None


@contextmanager
def reasons() -> Iterator[None]:
    """Say what an operator can mend in one line; let a bug show itself."""
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(Exit.DONE) from None
    except SettingsError as error:
        refuse(error)
    except (*_WRONG, *_TAKEN) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(Exit.TAKEN if isinstance(error, _TAKEN) else Exit.WRONG) from None
    except BrokenPipeError:
        raise  # whoever read our output has left: the command line ends without a word
    except _MENDABLE as error:
        typer.echo(f"{type(error).__name__.removesuffix('Error')}: {error}", err=True)
        raise typer.Exit(Exit.FAILED) from None
    except ExceptionGroup as group:
        mendable, rest = group.split(
            (*_TAKEN, TopicChangedError, LockedError, LogFaultError, OSError)
        )
        if rest is not None or mendable is None:
            raise
        _fail(list(_leaves(mendable)))


def _fail(errors: Sequence[Exception]) -> NoReturn:
    for one in errors:
        if isinstance(one, BrokenPipeError):
            raise one from None
        typer.echo(str(one), err=True)
    lost = any(isinstance(one, _TAKEN) for one in errors)
    raise typer.Exit(Exit.TAKEN if lost else Exit.FAILED) from None


def _leaves(error: Exception) -> Iterator[Exception]:
    """Yield what was raised, however deep in groups."""
    if isinstance(error, ExceptionGroup):
        for one in error.exceptions:
            yield from _leaves(one)
    else:
        yield error
