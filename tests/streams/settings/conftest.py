"""A file of settings to write, and none of this machine's variables."""

from pathlib import Path

import pytest

from tests.streams.settings.loading import Write


@pytest.fixture(autouse=True)
def _no_variables_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STREAMGAUGE_TEST_KAFKA", "STREAMGAUGE_REQUIRE_TOOLS"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a settings file and return its path."""

    def written(text: str) -> Path:
        path = tmp_path / "streamgauge.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return written
