"""docs/messages.md says of every alias, code and bound what the code does."""

from pathlib import Path
from typing import get_args

from schemas.json_text import MAX_DEPTH, MAX_DIGITS, JsonFault
from streams.intake.event_time import MAX_AHEAD_MS
from streams.intake.head import MAX_NAME
from streams.intake.labels import MAX_LABEL, MAX_LABEL_NAME, MAX_LABELS
from streams.intake.layout import ALIASES
from streams.intake.refusals import RowFault

PAGE = (Path(__file__).parents[3] / "docs" / "messages.md").read_text(encoding="utf-8")


def test_every_field_stands_with_all_its_names() -> None:
    for field, aliases in ALIASES.items():
        assert f"| `{field}` | {', '.join(f'`{alias}`' for alias in aliases)} |" in PAGE


def test_every_code_is_explained_and_no_other() -> None:
    explained = {
        line.split("`")[1]
        for line in PAGE.split("## Codes")[1].splitlines()
        if line.startswith("| `")
    }

    assert explained == {*get_args(JsonFault), *get_args(RowFault)}


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (
        f"more than {MAX_DEPTH} levels",
        f"more than {MAX_DIGITS:,} characters",
        f"longer than {MAX_NAME}",
        f"1 to {MAX_LABEL} printable",
        f"longer than {MAX_LABEL_NAME} characters",
        f"{MAX_LABELS} at most",
        f"more than {MAX_AHEAD_MS // 60_000} minutes",
    ):
        assert bound in PAGE
