"""The schema of the chart's `config`: every key of the settings, and what each is for.

Names and choices only: what else a value may be, the settings say when they are loaded.
`python -m tests.helm.config_schema` writes it into the chart.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from streams.settings.load import Settings

VALUES_SCHEMA = Path(__file__).parents[2] / "helm" / "values.schema.json"

Node: TypeAlias = dict[str, Any]


def config_schema() -> Node:
    """Return it in the words of draft 7, which older releases of Helm read too."""
    whole = Settings.model_json_schema()
    return _Names(whole["$defs"]).of(whole)


class _Names:
    """Leaves of a schema what names keys and words."""

    def __init__(self, models: Mapping[str, Node]) -> None:
        self._models = models

    def of(self, node: Node) -> Node:
        """Return the names in a node, and its description."""
        options = list(self._options(node))
        sections = [one for one in options if "properties" in one]
        values = [one for one in options if one not in sections and one.get("type") != "null"]
        nullable = len(options) > len(sections) + len(values)
        found: Node = {}
        if sections:
            found = self._keys(sections)
            found["type"] = _type("object", nullable=nullable)
        elif len(values) == 1:
            found = self._words(values[0], nullable=nullable)
        about = node.get("description") or (len(sections) == 1 and sections[0].get("description"))
        return {"description": about.splitlines()[0], **found} if about else found

    def _options(self, node: Node) -> Iterator[Node]:
        """Yield what may stand in a node's place, whatever refers to what."""
        if "$ref" in node:
            yield from self._options(self._models[node["$ref"].rpartition("/")[2]])
        elif choices := node.get("anyOf") or node.get("oneOf"):
            for one in choices:
                yield from self._options(one)
        else:
            yield node

    def _keys(self, sections: Sequence[Node]) -> Node:
        """Return the keys of a section; of several kinds that share a list, the keys of all."""
        keys: Node = {}
        for section in sections:
            for name, value in section["properties"].items():
                more = self.of(value)
                words = [*keys.get(name, {}).get("enum", ()), *more.get("enum", ())]
                keys[name] = more | ({"enum": list(dict.fromkeys(words))} if words else {})
        others = sections[0].get("additionalProperties", False)
        others = self.of(others) if isinstance(others, dict) else others
        return {"properties": keys, "additionalProperties": others}

    def _words(self, value: Node, *, nullable: bool) -> Node:
        if "const" in value:
            return {"enum": [value["const"]]}
        if "enum" in value:
            return {"enum": [*value["enum"], *([None] if nullable else [])]}
        for inner in ("items", "additionalProperties"):
            if isinstance(deep := value.get(inner), dict) and (names := self.of(deep)):
                return {"type": _type(value["type"], nullable=nullable), inner: names}
        return {}


def _type(name: str, *, nullable: bool) -> str | list[str]:
    return [name, "null"] if nullable else name


if __name__ == "__main__":
    schema = json.loads(VALUES_SCHEMA.read_text(encoding="utf-8"))
    schema["properties"]["config"] = config_schema()
    text = json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
    VALUES_SCHEMA.write_text(text, encoding="utf-8")
