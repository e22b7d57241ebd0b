"""Settings as a file to start from: every key, its value, and beside it what it is for."""

from collections.abc import Iterator
from typing import get_args, get_origin

import yaml
from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from streams.settings.keys import choices_of, fields_of, section_in

_STEP = "  "


def commented(settings: BaseModel) -> str:
    """Return settings as YAML that reads back as the same settings."""
    return "\n".join(_lines(settings, "")) + "\n"


def _lines(section: BaseModel, indent: str) -> Iterator[str]:
    values = section.model_dump(mode="json", by_alias=True)
    for (name, field), attribute in zip(
        fields_of(type(section)).items(), type(section).model_fields, strict=True
    ):
        value, inner = getattr(section, attribute), section_in(field.annotation)
        yield f"{indent}# {_about(field)}"
        if isinstance(value, BaseModel):
            yield f"{indent}{name}:"
            yield from _lines(value, indent + _STEP)
        else:
            yield from _items(_item_in(field.annotation) or inner, indent)
            yield from _leaf(name, values[name], indent)


def _item_in(annotation: object) -> type[BaseModel] | None:
    """Return the model of the items of a list or a mapping, None where they are of another kind."""
    if get_origin(annotation) not in {tuple, dict}:
        return None
    return next(filter(None, map(section_in, get_args(annotation))), None)


def _items(item: type[BaseModel] | None, indent: str) -> Iterator[str]:
    """Name the keys of a section that is off, or of which there may be several."""
    for name, field in fields_of(item).items() if item else ():
        yield f"{indent}#{_STEP}{name}: {_about(field)}"


def _leaf(name: str, value: JsonValue, indent: str) -> Iterator[str]:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{indent}{name}:"
        yield from (f"{indent}{_STEP}- {_flow(item)}" for item in value)
    else:
        yield f"{indent}{name}: {_flow(value)}"


def _flow(value: JsonValue) -> str:
    """Return a value on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000
    )
    return text.removesuffix("...\n").strip()


def _about(field: FieldInfo) -> str:
    """Return what a key is for, and what it may be where that is one of a few words."""
    section = section_in(field.annotation)
    about = field.description or (section and section.__doc__) or ""
    choices = " | ".join(choices_of(field.annotation))
    return about.splitlines()[0] + (f" ({choices})" if choices else "")
