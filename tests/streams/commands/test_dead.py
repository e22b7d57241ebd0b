"""What `dead redrive` says to people."""

import io
from collections import Counter

import pytest
from rich.console import Console

from streams.commands.dead import Redriven, say_redriven
from streams.dead.letters import letter_of
from streams.dead.redriving import Plan
from tests.streams.dead.letters import a_letter

COMES_BACK = "a row that cannot be read yet becomes a dead letter again: "


def said(letters: int, *, dry: bool) -> list[str]:
    goes = tuple(letter_of(a_letter(n, row=n), lambda _: None) for n in range(letters))
    stays = Counter({"over --cap: for another run": 1})
    console = Console(file=io.StringIO(), width=20)
    sent = 0 if dry else letters
    say_redriven(Redriven(Plan(goes, stays), sent, stays, dry), console, as_json=False)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize(
    ("dry", "first", "then"),
    [
        (
            True,
            "1 letter would go back: not_json 1. Nothing was sent: --yes does it",
            "mend the cause first",
        ),
        (False, "1 letter went back", "`streamgauge dead list` shows it"),
    ],
)
def test_a_letter_that_was_not_mended_is_said_to_come_back(
    dry: bool, first: str, then: str
) -> None:
    stay = "1 stay: over --cap: for another run"
    assert said(1, dry=dry) == [first, COMES_BACK + then, stay]


def test_where_nothing_goes_there_is_nothing_to_warn_of() -> None:
    assert said(0, dry=True) == ["0 letters would go back", "1 stay: over --cap: for another run"]
