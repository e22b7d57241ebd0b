"""The little of JSON Schema that the shapes of replies are made of."""

from pydantic import JsonValue


def an_object(**properties: JsonValue) -> dict[str, JsonValue]:
    """Return the schema of an object that holds exactly these keys, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def a_list(items: JsonValue) -> dict[str, JsonValue]:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def one_of(*words: str) -> dict[str, JsonValue]:
    """Return the schema of a word out of a list."""
    return {"type": "string", "enum": list(words)}


TEXT: JsonValue = {"type": "string"}
TEXT_OR_NULL: JsonValue = {"type": ["string", "null"]}
