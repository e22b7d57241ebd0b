"""Every command of the pages is one that our command line, `make` or Python has."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from tests.docs.commands import lines_of, ours_in, understand
from tests.docs.pages import ROOT, Block, blocks, name_of, pages, prose

ASIDE = re.compile(r"`(?:\.venv/bin/)?streamgauge ([a-z][^`]*)`")
MAKE = re.compile(r"`make ([a-z-]+)[^`]*`")

USAGE = typer.BadParameter.__mro__[1]
"""What Typer raises for every wrong command line."""

shell = pytest.mark.parametrize("block", blocks("sh"), ids=lambda block: block.place)
each_page = pytest.mark.parametrize("page", pages(), ids=name_of)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@shell
def test_what_is_written_for_our_command_line_is_understood(block: Block, here: Path) -> None:
    for line in lines_of(block):
        for arguments in ours_in(line):
            understand(arguments, here=here)


@each_page
def test_what_is_said_of_our_command_line_in_passing_is_understood(page: Path, here: Path) -> None:
    for said in ASIDE.findall(prose(page)):
        understand(shlex.split(said.replace("…", "")), here=here, whole=False)


@shell
def test_a_python_module_that_is_run_is_there(block: Block) -> None:
    for module in re.findall(r"python3? -m ([\w.]+)", block.text):
        assert find_spec(module), module


def test_every_target_that_is_made_is_in_the_makefile() -> None:
    shown = {
        target
        for block in blocks("sh")
        for line in lines_of(block)
        for target in re.findall(r"\bmake ([a-z-]+)", line)
    }
    aside = {target for page in pages() for target in MAKE.findall(prose(page))}
    rules = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert shown | aside <= set(rules)


@pytest.mark.parametrize(
    "wrong", ["scroe answers.jsonl", "score --onec", "dead lits", "mute --for 2h"]
)
def test_a_command_that_is_none_is_seen(wrong: str, here: Path) -> None:
    """The check of the pages can fail."""
    with pytest.raises(USAGE):
        understand(shlex.split(wrong), here=here)
