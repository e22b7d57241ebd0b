"""A settings file as a mapping: safe YAML in which no key stands twice and every key is text."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from streams.settings.problems import Problem, SettingsError


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader keeps the last of two equal keys, so a forgotten line can undo another."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping, or raise for a key that is no text or stands twice."""
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise _at(key_node, f'the key is no text: write "{key_node.value}" in quotes')
            if key in seen:
                raise _at(key_node, f"{key} stands twice in one mapping: keep one of them")
            seen.add(key)
        return super().construct_mapping(node, deep=deep)


def read_mapping(path: Path) -> dict[str, Any]:
    """Return what a YAML file holds; an empty one holds nothing. Raises SettingsError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError([Problem(str(path), f"cannot be read: {why}")]) from None
    try:
        value = yaml.load(text, _StrictLoader)  # noqa: S506 - a SafeLoader
    except RecursionError:
        raise SettingsError([Problem(str(path), "nests too deep")]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise SettingsError([Problem(f"{path}:{line}", error.problem or "is not YAML")]) from None
    except yaml.YAMLError:
        raise SettingsError([Problem(str(path), "is not YAML")]) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise SettingsError([Problem(str(path), "has to be a mapping of sections")])
    return value


def _at(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)
