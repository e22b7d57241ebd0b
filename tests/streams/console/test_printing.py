"""What is said of verdicts that failed, once all of a file is judged."""

import io

import pytest
from rich.console import Console

from schemas.rejection import Rejection
from schemas.score import Failed, ScoringError
from streams.console.printing import PrintingSink
from tests.fakes import NOON, a_record
from tests.streams.ports.messages import a_score


async def after(cause: str | None) -> PrintingSink:
    sink = PrintingSink(Console(quiet=True), as_json=False)
    event = a_score()
    if cause is not None:
        outcome = Failed(error=ScoringError(kind="judge_unavailable", cause=cause))
        event = event.model_copy(update={"outcome": outcome})
    await sink.publish([event])
    return sink


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("private_address", "set judge.allow_private_addresses: true"),
        ("connection", "streamgauge check says why"),
    ],
)
async def test_a_judge_that_fails_is_told_with_a_way_out(cause: str, said: str) -> None:
    sink = await after(cause)

    assert said in (sink.way_out or "")
    assert not sink.well


async def test_where_nothing_failed_there_is_no_advice() -> None:
    sink = await after(None)

    assert sink.way_out is None
    assert sink.well


def summary(sink: PrintingSink, *, width: int | None) -> str:
    """Return what a terminal of that width shows at the end; None: a pipe."""
    out = io.StringIO()
    terminal = width is not None
    sink.out = Console(file=out, force_terminal=terminal, width=width or 20, color_system=None)
    sink.summarise()
    return out.getvalue()


@pytest.mark.parametrize(
    ("rejected", "title"),
    [(0, "scored\n"), (1, "scored; 1 row rejected\n"), (2, "scored; 2 rows rejected\n")],
)
async def test_the_summary_counts_the_rows_that_could_not_be_read(
    rejected: int, title: str
) -> None:
    sink = await after(None)
    for line in range(rejected):
        await sink.reject(a_record(b"{", line), Rejection("not_json", "character 1"), at=NOON)

    assert summary(sink, width=None).startswith(title)


async def test_a_terminal_of_80_columns_shows_the_counts_as_a_table() -> None:
    _, head, *_, last = summary(await after(None), width=80).splitlines()

    assert "undecided  not scorable  invalid  error" in head
    assert last.split() == ["faithfulness", "1", "0", "0", "1", "0", "0", "0"]


@pytest.mark.parametrize("width", [None, 30])
async def test_where_no_table_fits_no_figure_is_cut(width: int | None) -> None:
    said = summary(await after(None), width=width)

    assert said.splitlines()[-1] == (
        "faithfulness: rows 1, scored 0, bad 0, undecided 1, not scorable 0, invalid 0, error 0"
    )
