"""From a record to a trace, or to the reason why not. Pure: neither reads nor waits for anything.

A row has one of three fates for each thing it should hold:
    unreadable, or nobody's      the record is rejected, and set aside
    a content field is absent    it stays None, and its scorers have nothing to score
    it is there and of no use    it is None too, and named in `unusable`: its scorers say so
"""

from dataclasses import dataclass, field

from pydantic import JsonValue

from schemas.json_text import UnreadableJsonError, peek, read_object
from schemas.rejection import Rejection
from schemas.trace import RagTrace
from schemas.wire import from_milliseconds
from streams.intake.content import content_of
from streams.intake.head import Head, RefusedRowError, assistant_of, head_of, label
from streams.intake.layout import Fields, RowLayout
from streams.intake.probes import is_probe
from streams.ports import Record

_OPTIONAL = ("span_id", "root_span_id", "response_id", "session_id", "feedback", "dialect")


@dataclass(frozen=True, slots=True)
class Intake:
    """Reads the JSON rows of one topic. A record of more than `max_bytes` is not even parsed."""

    layout: RowLayout = field(default_factory=RowLayout)
    max_bytes: int = 1 << 20

    def head(self, record: Record) -> Head | Rejection:
        """Read a row as far as sampling needs it: `decode` may still refuse what this lets pass."""
        row: Fields = {}
        try:
            row = self.layout.fields_of(peek(_value(record), max_bytes=self.max_bytes))
            return self._head(row, record)
        except (UnreadableJsonError, RefusedRowError) as error:
            return self._rejection(error, row)

    def decode(self, record: Record) -> RagTrace | Rejection:
        """Read a row in full. Whatever the bytes, this returns."""
        row: Fields = {}
        try:
            row = self.layout.fields_of(read_object(_value(record), max_bytes=self.max_bytes))
            return self._trace(row, self._head(row, record))
        except (UnreadableJsonError, RefusedRowError) as error:
            return self._rejection(error, row)

    def _head(self, row: Fields, record: Record) -> Head:
        if is_probe(record.headers, row):
            raise RefusedRowError("probe", "the answer to a question of our own")
        return head_of(
            row,
            of=self.layout.assistant,
            timestamp=record.timestamp,
            row_id=lambda: record.row_id,
        )

    def _trace(self, row: Fields, head: Head) -> RagTrace:
        content = content_of(row)
        return RagTrace(
            trace_id=head.trace_id,
            service=head.service,
            environment=head.environment,
            answered_at=from_milliseconds(head.at),
            answered_at_from=head.at_from,
            attributes=head.attributes,
            upstream_probability=_share(row.get("upstream_probability")),
            missing=_texts(row.get("missing")),
            unusable=content.unusable,
            **{name: label(value) for name in _OPTIONAL if (value := row.get(name)) is not None},
            **content.fields,
        )

    def _rejection(self, error: UnreadableJsonError | RefusedRowError, row: Fields) -> Rejection:
        try:
            assistant = "/".join(assistant_of(row, self.layout.assistant))
        except RefusedRowError:
            assistant = None
        reason = error.code if isinstance(error, UnreadableJsonError) else error.reason
        return Rejection(reason, error.detail, assistant, kept=reason != "probe")


def _value(record: Record) -> bytes:
    if record.value is None:
        raise RefusedRowError("tombstone", "the record has no value")
    return record.value


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _share(value: JsonValue) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value <= 1 else None
