"""Which keys a tree of settings models has, and what stands at each."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def fields_of(model: type[BaseModel]) -> Mapping[str, FieldInfo]:
    """Return a section's keys as they are written."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def section_in(annotation: object) -> type[BaseModel] | None:
    """Return the one model of an annotation such as `Section` or `Section | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is tuple:
        return None
    others = [one for one in get_args(annotation) if one is not type(None)]
    return section_in(others[0]) if len(others) == 1 else None


def annotation_at(model: type[BaseModel], steps: Sequence[str]) -> object | None:
    """Return the type at a path, None where there is no such key. A mapping has every key."""
    field = fields_of(model).get(steps[0])
    if field is None or len(steps) == 1:
        return field and field.annotation
    section = section_in(field.annotation)
    if section is not None:
        return annotation_at(section, steps[1:])
    return get_args(field.annotation)[1] if get_origin(field.annotation) is dict else None


def keys_of(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Yield every key of a section and of those inside, with dots between the steps."""
    for name, field in fields_of(model).items():
        yield prefix + name
        section = section_in(field.annotation)
        if section is not None:
            yield from keys_of(section, f"{prefix}{name}.")


def takes_json(annotation: object) -> bool:
    """Say whether values of a type are written as JSON where only text can be."""
    return section_in(annotation) is not None or get_origin(annotation) in {tuple, dict}


def choices_of(annotation: object) -> Sequence[str]:
    """Return the words that a key or its items must be one of, none where others will do."""
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    inner = get_args(annotation)[1:] if get_origin(annotation) is dict else get_args(annotation)
    others = [one for one in inner if one is not type(None) and one is not Ellipsis]
    return choices_of(others[0]) if len(others) == 1 else ()
