"""`replay --against` on a folder log: two runs and live traffic, as text, as JSON and as a page."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from streams.commands.comparing import compare, refuse_unknown
from streams.replay.planning import ReplayRefusedError
from streams.settings.load import Settings
from streams.wiring.broker import Wiring
from tests.streams.replay.two_sides import a_run, a_verdict, an_event, write
from tests.streams.watch.records import failed

ROWS = 40


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Live and r1 find every tenth row bad; r2, another judge, every fifth, and fails once."""
    live = [an_event(row, 0.2 if row % 10 == 0 else 1.0) for row in range(ROWS)]
    again = [one.model_copy(update={"run": "r1", "mode": "replay", "reused": True}) for one in live]
    other = [
        an_event(
            row,
            a_verdict(0.1 if row % 5 == 0 else 1.0, reason="ﬁve\x1b[31m"),
            run="r2",
            config="c2",
        )
        for row in range(ROWS - 1)
    ]
    other.append(an_event(ROWS - 1, failed(), run="r2", config="c2"))
    first = an_event(3, 0.0, run="r2", config="c2")
    beyond = [an_event(2000)]
    runs = [a_run("r1"), a_run("r2", state="stopped"), a_run("empty")]
    write(tmp_path, [*live, *again, *other, first, *beyond], runs)
    return tmp_path


async def told(
    root: Path,
    run: str,
    against: str,
    *,
    as_json: bool = False,
    terminal: bool = False,
    html: Path | None = None,
) -> tuple[bool, str]:
    wiring = Wiring(Settings(broker=f"folder:{root}"))
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    found = await compare(
        wiring, run, against, console=console, as_json=as_json, html=html, options=" --broker x"
    )
    assert isinstance(console.file, io.StringIO)
    return found, console.file.getvalue()


async def test_two_runs_are_held_against_each_other_row_by_row(root: Path) -> None:
    found, text = await told(root, "r2", "r1", as_json=True)

    whole, scorer, *flips = map(json.loads, text.splitlines())
    assert found
    assert (whole["kind"], whole["run"], whole["against"]) == ("comparison", "r2", "r1")
    assert scorer["pairs"] == ROWS
    assert scorer["outcomes"] == {"scored/scored": ROWS - 1, "scored/error": 1}
    square = [scorer[f"bad_{name}"] for name in ("both", "only_against", "only_run", "neither")]
    assert square == [4, 0, 4, 31]
    assert scorer["mcnemar_p"] == 0.125
    assert scorer["rate_run"] == pytest.approx(8 / 39)
    assert scorer["rate_change_lower"] < scorer["rate_change"] < scorer["rate_change_upper"]
    assert sum(scorer["score_histogram"]) == scorer["scored_both"] == 39
    assert [flip["trace_id"] for flip in flips] == [f"trace-0-{row}" for row in (5, 15, 25, 35)]
    assert flips[0]["to"] == "bad"
    assert flips[0]["against_evidence"] == flips[0]["run_evidence"] == "[1] Open from 10 am."
    assert flips[0]["run_finding"] == "contradicted"
    assert flips[0]["show"] == "streamgauge show --broker x trace-0-5"


async def test_what_is_missing_is_said(root: Path) -> None:
    _, text = await told(root, "r2", "live", as_json=True)

    notes = json.loads(text.splitlines()[0])["notes"]
    assert notes == [
        "r2 is not complete (stopped, 1,000 rows so far): what is there is compared",
        "verdicts of live on rows that r2 does not cover, left out: 1",
    ]


async def test_verdicts_published_again_are_no_second_opinion(root: Path) -> None:
    _, text = await told(root, "r1", "live")

    assert "both sides have one configuration" in text
    assert "40 of 40 pairs hold a verdict that was published again" in text


async def test_a_pipe_gets_plain_lines_and_a_terminal_a_table(root: Path) -> None:
    _, piped = await told(root, "r2", "r1")
    _, shown = await told(root, "r2", "r1", terminal=True)

    assert "  McNemar, exact two-sided p: 0.125\n" in piped
    assert "  good to bad: streamgauge show --broker x trace-0-5\n" in piped
    assert "reason: ﬁve [31m" in piped
    assert "\x1b" not in piped
    assert "│ McNemar, exact two-sided p" in shown
    assert "\x1b[31m  good to bad" in shown


async def test_a_terminal_breaks_a_long_name_and_cuts_nothing(tmp_path: Path) -> None:
    name = "r" * 70
    write(tmp_path, [an_event(1), an_event(1, run=name, config="c2")], [a_run(name)])

    _, shown = await told(tmp_path, name, "live", terminal=True)

    assert "McNemar" in shown
    assert "\N{HORIZONTAL ELLIPSIS}" not in shown


async def test_the_page_is_written_in_place_of_what_was_there(root: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text("old " * 100_000, encoding="utf-8")

    found, _ = await told(root, "r2", "live", html=file)

    page = file.read_text(encoding="utf-8")
    assert found
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert "trace-0-5" in page


@pytest.mark.parametrize(
    ("run", "against", "why"),
    [
        ("r3", "live", "there is no run r3 on rag.runs or rag.scores; runs are: empty, r1, r2"),
        ("r1", "r22", "did you mean r2?"),
        ("empty", "live", "0 verdicts of empty, 40 of live, and 1 on rows that only one of them"),
        ("r1", "r1", "r1 against itself"),
    ],
)
async def test_where_there_is_nothing_to_compare_the_reason_is_said(
    root: Path, capsys: pytest.CaptureFixture[str], run: str, against: str, why: str
) -> None:
    found, text = await told(root, run, against, as_json=True)

    assert (found, text) == (False, "")
    assert why in capsys.readouterr().err


async def test_without_topics_there_is_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found, _ = await told(tmp_path, "r1", "live")

    assert not found
    assert "runs are: none" in capsys.readouterr().err


@pytest.mark.parametrize("against", ["live", "empty", "r2"])
async def test_a_side_that_is_known_is_not_refused(root: Path, against: str) -> None:
    await refuse_unknown(Wiring(Settings(broker=f"folder:{root}")), against)


async def test_a_run_whose_manifest_is_gone_is_known_by_its_verdicts(root: Path) -> None:
    (root / "rag.runs" / "0.jsonl").write_text("")
    wiring = Wiring(Settings(broker=f"folder:{root}"))

    await refuse_unknown(wiring, "r2")
    with pytest.raises(ReplayRefusedError, match="there is no run empty on"):
        await refuse_unknown(wiring, "empty")
