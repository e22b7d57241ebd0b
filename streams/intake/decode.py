"""From a record to a trace, or to the reason why not. Pure: neither reads nor waits for anything.

A row has one of three fates for each thing it should hold:
    unreadable, or nobody's      the record is rejected, and set aside
    a content field is absent    it stays None, and its scorers have nothing to score
    it is there and of no use    it is None too, and named in `unusable`: its scorers say so
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import attrgetter
from typing import cast

from pydantic import JsonValue

from schemas.json_text import UnreadableJsonError, peek, read_object
from schemas.rejection import Rejection
from schemas.trace import RagTrace
from schemas.wire import from_milliseconds
from streams.batch import Parsed
from streams.intake.content import content_of
from streams.intake.envelope import Beside, Envelope, bare
from streams.intake.event_time import event_time
from streams.intake.head import Head, Profiles, assistant_of, named
from streams.intake.labels import label
from streams.intake.layout import Fields, Row, RowLayout, heading
from streams.intake.probes import carries_probe
from streams.intake.refusals import RefusedRowError
from streams.intake.skimming import Opened, Skim, skimming
from streams.ports import Record

_value = attrgetter("value")
_OPTIONAL = ("span_id", "root_span_id", "response_id", "session_id", "feedback", "dialect")


@dataclass(frozen=True, slots=True)
class Intake:
    """Reads the rows of one topic. A row of more than `max_bytes` is not even parsed."""

    layout: RowLayout = field(default_factory=RowLayout)
    max_bytes: int = 1 << 20
    envelope: Envelope = bare
    _profiles: Profiles = field(init=False, repr=False, compare=False)
    _skim: Skim | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        profiles = Profiles(self.layout.assistant)
        object.__setattr__(self, "_profiles", profiles)
        skim = None if self.layout.maps_head else skimming(profiles, self.max_bytes)
        object.__setattr__(self, "_skim", skim)

    def head(self, record: Parsed) -> Head | Rejection:
        """Read one row as far as sampling needs it."""
        return self.heads([record])[0]

    def heads(self, rows: Sequence[Parsed]) -> Sequence[Head | Rejection]:
        """Read rows as far as sampling needs it: `decode` may still refuse what this lets pass.

        This is done for every row there is, and calls are dear: so for many rows in one.
        """
        if self._skim is None:
            return [self._peeked(row) for row in rows]
        if self.envelope is bare:  # else the call is saved, for every row
            skimmed = self._skim(zip(map(_value, rows), rows, repeat(None)))
        else:
            skimmed = self._skim(map(self._opened, rows))
        if all(skimmed):
            return cast(Sequence[Head], skimmed)
        return [head or self._peeked(row) for head, row in zip(skimmed, rows, strict=True)]

    def _opened(self, row: Parsed) -> Opened:
        try:
            raw, beside = self.envelope(row)
        except RefusedRowError:
            return None, row, None
        return raw, row, beside

    def _peeked(self, record: Parsed) -> Head | Rejection:
        """Read a row that far, whatever is unusual about it."""
        row: Row = {}
        try:
            raw, beside = self.envelope(record)
            row = peek(raw, max_bytes=self.max_bytes)
            return self._head(heading(self.layout.fields_of(row)), record, beside)
        except (UnreadableJsonError, RefusedRowError) as error:
            return self._rejection(error, row)

    def decode(self, record: Record) -> RagTrace | Rejection:
        """Read a row in full. Whatever the bytes, this returns."""
        row: Row = {}
        try:
            raw, beside = self.envelope(record)
            row = read_object(raw, max_bytes=self.max_bytes)
            fields = self.layout.fields_of(row)
            return self._trace(record, fields, self._head(heading(fields), record, beside), beside)
        except (UnreadableJsonError, RefusedRowError) as error:
            return self._rejection(error, row)

    def _head(self, fields: Sequence[JsonValue], record: Parsed, beside: Beside | None) -> Head:
        if record.headers and carries_probe(record.headers):
            raise RefusedRowError("probe", "the answer to a question of our own")
        if beside is not None:
            fields = beside.heading(fields)
        trace_id, answered_at = fields[:2]
        profile = self._profiles.profile(fields[2:])
        known_as = named("trace_id", trace_id)
        at, at_from = event_time(answered_at, record.timestamp)
        return Head(known_as, at, at_from, profile)

    def _trace(self, record: Record, row: Fields, head: Head, beside: Beside | None) -> RagTrace:
        content, attributes = content_of(row), head.profile.attributes
        if beside is not None:
            row, attributes = beside.completing(row), beside.marking(attributes)
        return RagTrace(
            trace_id=head.trace_id or record.row_id,
            service=head.profile.service,
            environment=head.profile.environment,
            answered_at=from_milliseconds(head.at),
            answered_at_from=head.at_from,
            attributes=attributes,
            upstream_probability=_share(row.get("upstream_probability")),
            missing=_texts(row.get("missing")),
            unusable=content.unusable,
            **{name: label(value) for name in _OPTIONAL if (value := row.get(name)) is not None},
            **content.fields,
        )

    def _rejection(self, error: UnreadableJsonError | RefusedRowError, row: Row) -> Rejection:
        fields = self.layout.fields_of(row)
        service, environment = fields.get("service"), fields.get("environment")
        try:
            assistant = "/".join(assistant_of(service, environment, self.layout.assistant))
        except RefusedRowError:
            assistant = None
        reason = error.code if isinstance(error, UnreadableJsonError) else error.reason
        return Rejection(reason, error.detail, assistant, kept=reason != "probe")


def _texts(value: JsonValue) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _share(value: JsonValue) -> float | None:
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value <= 1 else None
