"""A file of alert rules to try: the section `alerts` by itself, or a settings file that has one."""

from pathlib import Path
from typing import Any, NamedTuple

from streams.settings.problems import Problem, SettingsError
from streams.settings.strict_yaml import read_mapping

SECTIONS = ("alerts", "watch")
"""What a backtest takes of it: the rules, and which segments they may speak of."""


class RulesFile(NamedTuple):
    """The sections to put over the settings, and whether the file has others too."""

    sections: dict[str, Any]
    whole: bool


def read_rules(path: Path) -> RulesFile:
    """Read it; what its rules say is not looked at yet. Raises SettingsError."""
    values = read_mapping(path)
    if "alerts" not in values:
        raise SettingsError([Problem("alerts", f"has to be given in {path.name}")])
    sections = {name: values[name] for name in SECTIONS if name in values}
    return RulesFile(sections, whole=len(sections) < len(values))
