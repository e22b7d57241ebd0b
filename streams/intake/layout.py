"""Where a row keeps each field: its canonical name, the names that other tools use, or a map."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

Row = Mapping[str, JsonValue]
"""A row as it was written, under whatever names."""

Fields = Mapping[str, JsonValue]
"""A row's fields by their canonical names. What is absent or null is left out."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "trace_id": ("traceId", "input_id", "request_id"),
    "span_id": ("spanId",),
    "root_span_id": ("rootSpanId",),
    "response_id": ("responseId", "completion_id"),
    "service": ("service_name", "service.name"),
    "environment": ("env", "deployment.environment.name", "deployment.environment"),
    "session_id": ("sessionId", "conversation_id", "thread_id"),
    "answered_at": ("timestamp", "@timestamp", "created_at"),
    "question": ("user_input", "prompt", "query", "input"),
    "history": ("chat_history", "conversation_history"),
    "contexts": ("retrieved_contexts", "documents", "retrieval_context", "source_documents"),
    "answer": ("response", "output", "sut_response", "actual_output", "generated_answer"),
    "citations": (),
    "tool_results": ("tool_outputs",),
    "reference": ("ground_truth", "ground_truth_answer", "reference_answer", "expected_output"),
    "feedback": ("user_feedback",),
    "attributes": ("labels",),
    "upstream_probability": (),
    "dialect": (),
    "missing": (),
}
"""Every field that a row may carry, with the names it is also known by, best first."""

ATTRIBUTE = "attributes."
"""How the map names one attribute: `attributes.prompt_version`."""

Names = Mapping[str, tuple[str, tuple[str, ...]]]
"""Each name that a field may have: its canonical name, and the names that win over this one."""

_SCHEMA = "schema"
"""Stands in the row as in every message, whatever names its fields have."""

HEAD = (
    "trace_id",
    "answered_at",
    _SCHEMA,
    "service",
    "environment",
    "feedback",
    "attributes",
)
"""The fields that are looked at in every row there is."""


@dataclass(frozen=True, slots=True)
class RowLayout:
    """The names under which one topic's rows keep their fields.

    `fields` maps a field (or one attribute) to the dotted path where it stands; a mapped field is
    looked for there alone. `assistant` is (service, environment) where all rows are of one.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    assistant: tuple[str, str] | None = None
    _names: Names = field(init=False, repr=False)
    _mapped: Mapping[str, str] = field(init=False, repr=False)
    _attributes: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        unmapped = {name: also for name, also in ALIASES.items() if name not in self.fields}
        object.__setattr__(self, "_names", names({_SCHEMA: (), **unmapped}))
        mapped = {name: path for name, path in self.fields.items() if name in ALIASES}
        object.__setattr__(self, "_mapped", mapped)
        attributes = {
            name.removeprefix(ATTRIBUTE): path
            for name, path in self.fields.items()
            if name.startswith(ATTRIBUTE)
        }
        object.__setattr__(self, "_attributes", attributes)

    def fields_of(self, row: Row) -> Fields:
        """Return a row's fields. `attributes` come as they stand, those of the map first."""
        found = renamed(row, self._names)
        for name, path in self._mapped.items():
            if (value := follow(row, path)) is not None:
                found[name] = value
        if self._attributes:
            found["attributes"] = self._with_mapped(row, found.get("attributes"))
        return found

    @property
    def maps_head(self) -> bool:
        """Whether the map says where a field of `HEAD` stands."""
        return bool(self._attributes or self._mapped.keys() & set(HEAD))

    def _with_mapped(self, row: Row, attributes: JsonValue) -> dict[str, JsonValue]:
        mapped = {name: follow(row, path) for name, path in self._attributes.items()}
        return {**mapped, **attributes, **mapped} if isinstance(attributes, dict) else mapped


def heading(fields: Fields) -> tuple[JsonValue, ...]:
    """Return the fields of `HEAD`, in that order: None where absent."""
    return tuple(map(fields.get, HEAD))


def names(aliases: Mapping[str, tuple[str, ...]]) -> Names:
    """Return the names of some fields, given the other names of each, best first."""
    known: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name, others in aliases.items():
        falling = (name, *others)
        known |= {alias: (name, falling[:place]) for place, alias in enumerate(falling)}
    return known


def renamed(members: Row, names: Names) -> dict[str, JsonValue]:
    """Return what has a known name, under its canonical one. Null is absent; the best name wins."""
    found: dict[str, JsonValue] = {}
    for alias, value in members.items():  # one pass: rows are short, and mostly canonical
        if value is not None and (known := names.get(alias)) is not None:
            name, better = known
            if not better or all(members.get(other) is None for other in better):
                found[name] = value
    return found


def follow(row: Row, path: str) -> JsonValue:
    """Return what stands at a dotted path, None where nothing does.

    A number picks an item of a list, from 0. A key that is itself written with the dots wins.
    """
    if path in row:
        return row[path]
    value: object = row
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value  # type: ignore[return-value]  # a part of a JSON value is one
