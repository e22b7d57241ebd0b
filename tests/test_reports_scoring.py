"""The page on other tools' bugs names tests that exist, and leaves no report out."""

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reports-scoring.md"
REPORTS = ROOT.parent / "shared" / "data" / "reports" / "scoring.jsonl"

ROWS = [
    [cell.strip() for cell in line.strip().strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| report")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_row_names_a_test_that_exists_or_says_why_there_is_none(row: list[str]) -> None:
    _, _, shown = row

    named = re.findall(r"`([\w/]+\.py)::(\w+)`", shown)

    assert named or shown.startswith("cannot occur: ")
    for path, test in named:
        assert re.search(rf"^(async )?def {test}\(", (ROOT / path).read_text(), re.MULTILINE)


def test_every_report_has_its_row() -> None:
    if not REPORTS.is_file():
        print("SKIPPED: the reports are not beside the project", file=sys.stderr)  # noqa: T201
        pytest.skip("the reports are not beside the project (../shared)")

    lines = REPORTS.read_text(encoding="utf-8").splitlines()

    assert [row[0] for row in ROWS] == [json.loads(line)["ref"] for line in lines]
