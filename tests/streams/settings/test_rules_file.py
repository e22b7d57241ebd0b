"""A file of rules to try, by itself or in a settings file."""

from pathlib import Path

import pytest

from streams.settings.problems import SettingsError
from streams.settings.rules_file import read_rules


def file(folder: Path, text: str) -> Path:
    (folder / "rules.yaml").write_text(text)
    return folder / "rules.yaml"


def test_rules_by_themselves_are_put_over_the_settings(tmp_path: Path) -> None:
    sections, whole = read_rules(file(tmp_path, "alerts: []\nwatch: {segments: [a]}\n"))

    assert sections == {"alerts": [], "watch": {"segments": ["a"]}}
    assert not whole


def test_a_settings_file_is_one_with_other_sections(tmp_path: Path) -> None:
    sections, whole = read_rules(file(tmp_path, "broker: folder:x\nalerts: []\n"))

    assert sections == {"alerts": []}
    assert whole


def test_a_file_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as refused:
        read_rules(file(tmp_path, "alert: []\n"))

    assert str(refused.value) == "alerts: has to be given in rules.yaml"
