"""Records that hold one trace, whole: their spans are a row as they stand, with no assembling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from streams.assemble.loop_guard import comes_of_judging
from streams.assemble.otlp import (
    SpanEncoding,
    SpanReader,
    UnreadableSpansError,
    protobuf_is_here,
    span_reader,
)
from streams.assemble.rows import MakeRows
from streams.intake.refusals import RefusedRowError

_WAY_OUT = "streamgauge assemble makes rows of such a topic"


@dataclass(frozen=True, slots=True)
class WholeTrace:
    """Makes the one row of a record's spans."""

    read: SpanReader
    rows: MakeRows

    def __call__(self, value: bytes) -> bytes:
        """Return the row as JSON. Raises RefusedRowError where there is none, or another one."""
        try:
            spans = self.read(value)
        except UnreadableSpansError as error:
            raise RefusedRowError("unreadable_spans", str(error)) from None
        if spans and all(map(comes_of_judging, spans)):
            raise RefusedRowError("probe", "spans of judging alone")
        traces = {span.trace_id for span in spans}
        if len(traces) != 1:
            raise RefusedRowError("not_one_row", f"spans of {len(traces)} traces: {_WAY_OUT}")
        rows = self.rows(spans)
        if len(rows) != 1:
            raise RefusedRowError("not_one_row", f"a trace of {len(rows)} answers: {_WAY_OUT}")
        return rows[0].to_json()


def whole_traces(encoding: str, rows: MakeRows) -> Mapping[str, WholeTrace]:
    """Return what makes rows of spans on a topic of this encoding, by the encodings of spans.

    Raises ExtraMissingError; where any encoding will do (`auto`), protobuf may be missing.
    """
    names: tuple[SpanEncoding, ...] = get_args(SpanEncoding)
    if encoding == "auto":
        wanted = [name for name in names if name != "otlp_proto" or protobuf_is_here()]
    else:
        wanted = [name for name in names if name == encoding]
    return {name: WholeTrace(span_reader(name), rows) for name in wanted}
