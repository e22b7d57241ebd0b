"""What is known of a row before it is drawn: whose it is, when it was answered, how it is labelled.

Every row is read this far, so this is the hot path. Sampled rows are read in full by the same
rules, so that a row's tally and its scores agree on the assistant and on the minute.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
from pydantic import JsonValue

from streams.intake.event_time import TimeFrom
from streams.intake.labels import label, labels_of
from streams.intake.probes import marks_probe
from streams.intake.refusals import RefusedRowError

Assistant = tuple[str, str]
"""The service and the environment."""

MAX_NAME = 256
"""Characters of an id or a name."""

MAX_PROFILES = 4096
"""How many profiles are kept. A topic has few, unless an attribute is another in every row."""

_MAJOR = 1
MAX_KEY = 4096
MAX_PARTS = 128
"""How much may be written of a profile for it to be kept: characters or bytes, and texts."""

_TEXT_OR_ABSENT = frozenset({str, bytes, type(None)})


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """What many rows have alike: whose they are, and how they are labelled.

    `labels` are what strata may look at: the `attributes`, service, environment and feedback.
    """

    service: str
    environment: str
    labels: Mapping[str, str]
    attributes: Mapping[str, str]
    assistant: str = field(init=False)
    """The unit that is watched: `service/environment`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "assistant", f"{self.service}/{self.environment}")


class Head(msgspec.Struct, gc=False, frozen=True):
    """A row before it is drawn. `at` is its event time in milliseconds since 1970.

    `trace_id` None: it names none, and is known by where it lies.
    """

    trace_id: str | None
    at: int
    at_from: TimeFrom
    profile: Profile


Key = tuple[object, ...]
"""Parts of a row, as they were written."""


class Labelling(NamedTuple):
    """The fields of a row that its profile is made of, as they were written."""

    schema: JsonValue = None
    service: JsonValue = None
    environment: JsonValue = None
    feedback: JsonValue = None
    attributes: JsonValue = None


@dataclass(frozen=True, slots=True)
class Profiles:
    """Makes profiles, and the same rows' only once. `of` is whose all rows are, where of one."""

    of: Assistant | None = None
    known: dict[Key, Profile] = field(default_factory=dict)
    """By the first four fields of a `Labelling`, then the attributes: names, and then values."""

    def profile(self, row: Sequence[JsonValue]) -> Profile:
        """Return the profile of a row with these fields of a `Labelling`. Raises RefusedRowError.

        Only a row that is labelled as none before is looked into.
        """
        schema, service, environment, feedback, attributes = row
        key: Key
        if isinstance(attributes, dict):
            key = (schema, service, environment, feedback, *attributes, *attributes.values())
        else:
            key = (schema, service, environment, feedback)
        try:
            return self.known[key]
        except (KeyError, TypeError):  # a list has no hash
            profile = self._made(Labelling(*row))
            keep(self.known, key, profile)
            return profile

    def _made(self, row: Labelling) -> Profile:
        if marks_probe(row.attributes):
            raise RefusedRowError("probe", "the answer to a question of our own")
        refuse_other_schemas(row.schema)
        service, environment = assistant_of(row.service, row.environment, self.of)
        attributes = labels_of(row.attributes)
        labels = {**attributes, "service": service, "environment": environment}
        feedback = label(row.feedback)
        if feedback is not None:
            labels["feedback"] = feedback
        return Profile(service, environment, labels, attributes)


def keep(known: dict[Key, Profile], key: Key, profile: Profile) -> None:
    """Keep a profile under what was written of it: texts alone, which nothing else is taken for."""
    if len(key) > MAX_PARTS or not _TEXT_OR_ABSENT.issuperset(map(type, key)):
        return  # 1 and true are not the same label
    if sum(len(text) for text in key if isinstance(text, str | bytes)) <= MAX_KEY:
        if len(known) >= MAX_PROFILES:
            known.clear()
        known[key] = profile


def refuse_other_schemas(schema: JsonValue) -> None:
    """Raise RefusedRowError for a message of ours that is no row, or a row of a later major."""
    if not isinstance(schema, str) or not schema.startswith("streamgauge."):
        return  # another tool's field of that name
    kind, _, version = schema.removeprefix("streamgauge.").partition("/")
    if kind != "trace":
        raise RefusedRowError("wrong_schema", "schema: a message of Streamgauge that is no row")
    major = version.split(".")[0]
    if not major.isdecimal() or len(major) > MAX_NAME or int(major) != _MAJOR:
        raise RefusedRowError(
            "newer_schema", f"schema: this version reads streamgauge.trace/{_MAJOR}; upgrade it"
        )


def assistant_of(service: JsonValue, environment: JsonValue, of: Assistant | None) -> Assistant:
    """Return the row's service and environment; the constant wins."""
    if of is not None:
        return of
    name = named("service", service)
    if name is None:
        raise RefusedRowError("no_identity", "service: absent, and intake.assistant is not set")
    where = named("environment", environment) or "production"
    if "/" in where:
        raise RefusedRowError("bad_identity", "environment: holds a slash")
    return name, where


def named(field: str, value: JsonValue) -> str | None:
    """Return an id or name: text, or a whole number as text; None where absent or blank."""
    if not isinstance(value, str):
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            raise RefusedRowError("bad_identity", f"{field}: not text")
        value = str(value)
    if len(value) > MAX_NAME:
        raise RefusedRowError("bad_identity", f"{field}: longer than {MAX_NAME} characters")
    if not value.isprintable():
        raise RefusedRowError("bad_identity", f"{field}: holds control characters")
    return value if value and not value.isspace() else None
