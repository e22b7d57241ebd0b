"""The schema of the chart's `config`: every key of the settings, and of each what it is for.

Names and choices only: what a value may be, the settings say themselves when they are loaded.
`python -m tests.helm.config_schema` writes it into the chart.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from pydantic import JsonValue

from streams.settings.load import Settings

SCHEMA = Path(__file__).parents[2] / "helm" / "values.schema.json"

Node: TypeAlias = dict[str, JsonValue]


def config_schema() -> Node:
    """Return it as JSON Schema (draft 7), which older releases of Helm read too."""
    whole = Settings.model_json_schema()
    return _Names(whole["$defs"]).of(whole)


def written(config: Node) -> str:
    """Return the chart's schema with this in its place for `config`."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    schema["properties"]["config"] = config
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


class _Names:
    """Leaves of a schema what names keys and words."""

    def __init__(self, models: Mapping[str, Node]) -> None:
        self._models = models

    def of(self, node: Node) -> Node:
        """Return the names in a node; nothing but its description where it has none."""
        options = list(self._options(node))
        objects = [one for one in options if "properties" in one]
        others = [one for one in options if one.get("type") != "null" and one not in objects]
        nullable = len(options) > len(objects) + len(others)
        if objects:
            found = self._section(objects)
            found["type"] = ["object", "null"] if nullable else "object"
        elif len(others) == 1:
            found = self._value(others[0], nullable=nullable)
        else:
            found = {}
        about = node.get("description")
        if about is None and len(objects) == 1:
            about = objects[0].get("description")
        return {"description": str(about).splitlines()[0], **found} if about else found

    def _options(self, node: Node) -> Iterator[Node]:
        for choice in ("anyOf", "oneOf"):
            if isinstance(node.get(choice), list):
                for one in _nodes(node[choice]):
                    yield from self._options(one)
                return
        if isinstance(name := node.get("$ref"), str):
            yield from self._options(self._models[name.rpartition("/")[2]])
        else:
            yield node

    def _section(self, sections: Sequence[Node]) -> Node:
        """Return the keys of a section; of several kinds that share a list, the keys of all."""
        keys: Node = {}
        for section in sections:
            for name, value in _items(section["properties"]):
                known, more = keys.get(name), self.of(value)
                if isinstance(known, dict) and "enum" in known and "enum" in more:
                    words = dict.fromkeys(map(str, [*_list(known["enum"]), *_list(more["enum"])]))
                    keys[name] = {**known, "enum": list(words)}
                else:
                    keys.setdefault(name, more)
        others = sections[0].get("additionalProperties", False)
        return {
            "properties": keys,
            "additionalProperties": self.of(others) if isinstance(others, dict) else others,
        }

    def _value(self, value: Node, *, nullable: bool) -> Node:
        if "const" in value:
            return {"enum": [value["const"]]}
        if isinstance(value.get("enum"), list):
            return {"enum": [*_list(value["enum"]), *([None] if nullable else [])]}
        for inner in ("items", "additionalProperties"):
            if isinstance(deep := value.get(inner), dict) and (names := self.of(deep)):
                kinds: list[JsonValue] = [value["type"], "null"]
                return {"type": kinds if nullable else value["type"], inner: names}
        return {}


def _nodes(value: JsonValue) -> Iterator[Node]:
    yield from (one for one in _list(value) if isinstance(one, dict))


def _items(value: JsonValue) -> Iterator[tuple[str, Node]]:
    if isinstance(value, dict):
        yield from ((name, one) for name, one in value.items() if isinstance(one, dict))


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


if __name__ == "__main__":
    SCHEMA.write_text(written(config_schema()), encoding="utf-8")
