"""Attributes as short texts: what strata, panes and people may look at."""

from pydantic import JsonValue

MAX_LABELS = 16
MAX_LABEL_NAME = 64
MAX_LABEL = 128
"""Attributes of a row: how many, and the characters of a name and of a value."""


def labels_of(attributes: JsonValue) -> dict[str, str]:
    """Return the row's attributes as short texts: the first 16 that can be labels.

    What cannot is left out: a label that was cut short would be another label.
    """
    labels: dict[str, str] = {}
    if not isinstance(attributes, dict):
        return labels
    for name, value in attributes.items():
        text = label(value)
        if text is not None and 0 < len(name) <= MAX_LABEL_NAME and name.isprintable():
            labels[name] = text
            if len(labels) == MAX_LABELS:
                break
    return labels


def label(value: JsonValue) -> str | None:
    """Return a value as a short text: numbers as JSON writes them, true and false in words."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, int | float):
        text = repr(value)
    else:
        return None
    return text if 0 < len(text) <= MAX_LABEL and text.isprintable() else None
