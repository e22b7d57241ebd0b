"""The pages that answer reports and faults name tests that exist, and leave none out."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REPORTS = ROOT.parent / "shared" / "data" / "reports"
SCORING, STREAMING, FAULTS = "reports-scoring.md", "reports-streaming.md", "faults.md"
FAULTS_HERE = [*range(1, 27), *range(37, 53), *range(56, 65)]


def rows(page: str) -> list[list[str]]:
    """Return the cells of a page's rows that have three of them, but for the heads."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    cells = [line.strip().strip("|").split(" | ") for line in lines if line.startswith("| ")]
    found = [[cell.strip() for cell in row] for row in cells if len(row) == 3]
    return [row for row in found if row[0] not in {"report", "fault"}]


def every_row() -> list[object]:
    pages = (SCORING, STREAMING, FAULTS)
    return [
        pytest.param(row, id=f"{page}: {row[0][:40]}, {number}")
        for page in pages
        for number, row in enumerate(rows(page))
    ]


@pytest.mark.parametrize("row", every_row())
def test_a_row_names_a_test_that_exists_or_says_why_there_is_none(row: list[str]) -> None:
    _, _, shown = row

    named = re.findall(r"`([\w/]+\.py)::(\w+)`", shown)

    assert named or shown.startswith("cannot occur: ")
    assert named or "::" not in shown
    for path, test in named:
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^ *(async )?def {test}\(", source, re.MULTILINE), (path, test)


@pytest.mark.parametrize(
    ("page", "reports"), [(SCORING, "scoring.jsonl"), (STREAMING, "streaming.jsonl")]
)
def test_every_report_has_its_row(page: str, reports: str) -> None:
    if not (REPORTS / reports).is_file():
        print("SKIPPED: the reports are not beside the project", file=sys.stderr)  # noqa: T201
        pytest.skip("the reports are not beside the project (../shared)")

    lines = (REPORTS / reports).read_text(encoding="utf-8").splitlines()

    assert [row[0] for row in rows(page)] == [json.loads(line)["ref"] for line in lines]


def test_every_fault_has_its_row() -> None:
    assert sorted({row[0] for row in rows(FAULTS)}) == [f"F{n:02}" for n in FAULTS_HERE]
