"""Where a row keeps each field: its canonical name, the names that other tools use, or a map."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

Row = Mapping[str, JsonValue]

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


@dataclass(frozen=True, slots=True)
class RowLayout:
    """The names under which one topic's rows keep their fields.

    `fields` maps a field (or one attribute) to the dotted path where it stands; a mapped field is
    looked for there alone. `assistant` is (service, environment) where all rows are of one.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    assistant: tuple[str, str] | None = None
    _names: Mapping[str, tuple[str, ...]] = field(init=False, repr=False)
    _attributes: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = {name: (name, *others) for name, others in ALIASES.items()}
        attributes = {
            name.removeprefix(ATTRIBUTE): path
            for name, path in self.fields.items()
            if name.startswith(ATTRIBUTE)
        }
        object.__setattr__(self, "_names", names)
        object.__setattr__(self, "_attributes", attributes)

    def find(self, row: Row, name: str) -> JsonValue:
        """Return a field's value, None where it is absent or null. The canonical name wins."""
        if self.fields and (path := self.fields.get(name)) is not None:
            return follow(row, path)
        for known_as in self._names[name]:
            value = row.get(known_as)
            if value is not None:
                return value
        return None

    def attributes(self, row: Row) -> dict[str, JsonValue]:
        """Return the row's attributes as they stand, those of the map first."""
        mapped = {name: follow(row, path) for name, path in self._attributes.items()}
        found = self.find(row, "attributes")
        return {**mapped, **found, **mapped} if isinstance(found, dict) else mapped


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
