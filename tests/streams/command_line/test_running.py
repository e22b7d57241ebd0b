"""What ends a command is said in one line, however it was raised."""

import pytest
import typer

from streams.assemble.otlp import ExtraMissingError
from streams.command_line.running import reasons
from streams.folder.lock import LockedError


def test_a_reason_deep_in_groups_is_said_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    held = LockedError("rag.alerts is in use by process 7")
    nested = ExceptionGroup("outer", [ExceptionGroup("inner", [held])])

    with pytest.raises(typer.Exit) as ended, reasons():
        raise nested

    assert ended.value.exit_code == 1
    assert capsys.readouterr().err == "rag.alerts is in use by process 7\n"


def test_a_bug_among_them_shows_itself() -> None:
    group = ExceptionGroup("outer", [LockedError("held"), KeyError("a bug")])

    with pytest.raises(ExceptionGroup), reasons():
        raise group


def test_a_package_that_is_missing_is_said_with_the_way_to_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(typer.Exit) as ended, reasons():
        raise ExtraMissingError("pip install 'streamgauge[otlp]'")

    assert (ended.value.exit_code, capsys.readouterr().err) == (
        2,
        "pip install 'streamgauge[otlp]'\n",
    )
