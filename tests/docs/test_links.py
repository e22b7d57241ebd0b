"""What a page names is there: pages, places on them, files, variables, keys, figures, commands."""

import re
from pathlib import Path

import pytest

from streams.settings.keys import keys_of
from streams.settings.load import Settings
from streams.settings.overrides import variable_of
from streams.settings.secrets import holds_secret
from tests.docs.pages import ROOT, anchors, name_of, pages, prose

METRICS = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")
"""The page that a test of the metrics holds to the code."""

LINK = re.compile(r"\]\(<?([^()\s>]*)>?\)")
FILE = re.compile(
    r"`((?:streams|scorers|schemas|tests|docs|benchmarks|deploy|helm)/[\w./-]+\.\w+)`"
)
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
FIGURE = re.compile(r"\bstreamgauge_[a-z_]+[a-z](?!\w|…)")
FIGURES = frozenset(re.findall(r"^\| `(\w+)` \|", METRICS, re.MULTILINE))
VARIABLE = re.compile(r"\bSTREAMGAUGE_[A-Z][A-Z0-9_]*\b(?![<…*])")

each_page = pytest.mark.parametrize("page", pages(), ids=name_of)


@each_page
def test_every_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        led = (page.parent / path).resolve() if path else page
        assert led.exists(), f"{target}: there is no {led}"
        if anchor:
            assert anchor in anchors(led), f"{target}: no such place, but {sorted(anchors(led))}"


@each_page
def test_every_file_that_is_named_is_there(page: Path) -> None:
    for name in FILE.findall(prose(page)):
        assert (ROOT / name).exists(), name


@each_page
def test_every_test_that_is_named_is_there(page: Path) -> None:
    for path, name in TEST.findall(prose(page)):
        source = (ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^ *(async )?def {name}\(", source, re.MULTILINE), f"{path}::{name}"


@each_page
def test_every_figure_that_is_named_is_measured(page: Path) -> None:
    for name in FIGURE.findall(page.read_text(encoding="utf-8")):
        assert name in FIGURES or re.sub(r"_(bucket|sum|count)$", "", name) in FIGURES, name


@each_page
def test_every_variable_that_is_named_is_read(page: Path) -> None:
    known = {variable_of(key) for key in keys_of(Settings)}
    for name in VARIABLE.findall(page.read_text(encoding="utf-8")):
        assert name in known or holds_secret(name) or name in OF_TESTS_AND_EXAMPLES, name


OF_TESTS_AND_EXAMPLES = {
    "STREAMGAUGE_SECTION__KEY",
    "STREAMGAUGE_REQUIRE_TOOLS",
    "STREAMGAUGE_TEST_KAFKA",
}


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    led = {(index.parent / target).resolve() for target in LINK.findall(prose(index))}

    assert set(pages()) - {index, ROOT / "CHANGELOG.md"} <= led
