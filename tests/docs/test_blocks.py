"""Every block has a fate: what its language asks for, or a reason above it why not."""

import ast
import json
import re
import tomllib
from importlib.util import find_spec

import pytest

from schemas.score import ScoreEvent
from schemas.trace import RagTrace
from streams.intake.decode import Intake
from tests.docs.pages import ROOT, Block, blocks
from tests.streams.intake.rows import record

CHECKED = {"sh", "yaml", "json", "python", "toml"}
"""What the tests of this folder check."""

PROGRAMS = {"the Collector", "Helm"}
"""Others whose files we show: `test_others_shown.py` shows these to them."""

MOST_EXCUSES = 6

everything = pytest.mark.parametrize("block", blocks(), ids=lambda block: block.place)


def of(*languages: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("block", blocks(*languages), ids=lambda block: block.place)


@everything
def test_a_block_is_in_a_language_that_is_checked_or_says_why_not(block: Block) -> None:
    assert block.language in CHECKED or block.mark == "not run", (
        f"{block.place} is in {block.language or 'no language'}: write one of {sorted(CHECKED)}, "
        "or <!-- not run: the reason --> above it"
    )


def test_few_blocks_are_excused() -> None:
    excused = [f"{one.place} {one.said}" for one in blocks() if one.mark == "not run"]

    assert len(excused) <= MOST_EXCUSES, "\n".join(excused)


@everything
def test_a_test_that_is_said_to_run_a_block_exists(block: Block) -> None:
    if block.mark != "run by":
        return
    path, _, name = block.said.partition("::")

    assert re.search(rf"^ *(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE)


@of("python")
def test_python_compiles_and_what_it_imports_is_there(block: Block) -> None:
    tree = ast.parse(block.text)

    if block.mark == "":
        for module in modules(tree):
            assert find_spec(module) is not None, module


@of("json")
def test_json_is_a_row_or_a_score(block: Block) -> None:
    for line in block.text.splitlines():
        if "scorer" in json.loads(line):
            assert ScoreEvent.model_validate_json(line)
        else:
            assert isinstance(Intake().decode(record(line.encode())), RagTrace)


@of("toml")
def test_toml_can_be_read(block: Block) -> None:
    assert tomllib.loads(block.text)


def modules(tree: ast.Module) -> set[str]:
    """Return what a snippet imports; of an import from a module, the module."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    return found
