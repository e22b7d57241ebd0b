"""The page tells what there is: its table every value, its examples values that work."""

import re
from typing import Any

import pytest
import yaml

from tests.helm.rendering import HELM, helm, of

ROW = re.compile(r"^\| `([\w.]+)` \| `(.*?)` \|", re.MULTILINE)


README = (HELM / "README.md").read_text(encoding="utf-8")
VALUES = yaml.safe_load((HELM / "values.yaml").read_text(encoding="utf-8"))
SETS = re.findall(r"--set (?:'(.+?)'|(\S+))", README)
SNIPPETS = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)


def in_the_table() -> dict[str, Any]:
    """Return the default of each value as the table has it."""
    return {name: yaml.safe_load(default) for name, default in ROW.findall(README)}


def in_the_chart(path: str) -> Any:
    """Return what the chart has at a path; it fails where there is nothing."""
    found = VALUES
    for step in path.split("."):
        found = found[step]
    return found


def test_every_default_in_the_table_is_the_charts() -> None:
    told = in_the_table()

    assert told == {path: in_the_chart(path) for path in told}


def test_the_table_leaves_no_value_out() -> None:
    whole: dict[str, Any] = {}
    for path, default in in_the_table().items():
        at = whole
        *steps, last = path.split(".")
        for step in steps:
            at = at.setdefault(step, {})
        at[last] = default

    assert whole == VALUES


@pytest.mark.parametrize("expression", [quoted or bare for quoted, bare in SETS])
def test_what_is_set_on_the_command_line_renders(expression: str) -> None:
    given = helm().parse_set_string(expression)

    assert of(yaml.safe_dump(given))


@pytest.mark.parametrize("text", SNIPPETS)
def test_what_is_shown_of_a_file_renders(text: str) -> None:
    assert of(text)


def test_there_is_something_to_try() -> None:
    assert len(SETS) == 2
    assert len(SNIPPETS) == 1
