"""The page on alerts holds what the settings take."""

import re
from pathlib import Path

import pytest

from streams.settings.alert_rules import DEFAULT_RULES
from streams.settings.load import load

PAGE = Path(__file__).parents[3] / "docs" / "alerts.md"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """Return the page's example as a file."""
    found = re.search(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    file = tmp_path / "streamgauge.yaml"
    file.write_text(found[1])
    return file


def test_the_example_of_the_page_on_alerts_loads(example: Path) -> None:
    rules = load(example).alerts

    assert rules[: len(DEFAULT_RULES)] == DEFAULT_RULES
    assert len({rule.kind for rule in rules}) > len(DEFAULT_RULES)


def test_the_page_shows_the_default_of_every_key_of_every_kind(example: Path) -> None:
    page = PAGE.read_text()

    for rule in load(example).alerts:
        section = page.partition(f"### {rule.kind}\n")[2].partition("\n### ")[0]
        keys = [field.alias or name for name, field in type(rule).model_fields.items()]
        told = [key for key in keys if key not in ("name", "kind")]
        assert [key for key in told if f"`{key}" not in section and f" {key}:" not in section] == []
