"""Records with spans that are one row as they stand, and those that are none."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from schemas.rejection import Rejection
from schemas.trace import RagTrace
from streams.assemble.loop_guard import OUR_NAME
from streams.assemble.otlp import SpanEncoding, span_reader
from streams.assemble.rows import rows
from streams.assemble.span import Span
from streams.assemble.whole import whole_traces
from streams.intake.decode import Intake
from streams.intake.encodings import envelope
from streams.intake.head import Head
from tests.streams.assemble.otlp_batches import as_json, as_proto, bare_span
from tests.streams.intake.rows import record

TRACES = Path(__file__).parents[2] / "traces"
SHOP = (TRACES / "langchain_oi.pb").read_bytes()
SPANS = span_reader("otlp_proto")(SHOP)
OTHER = [replace(span, trace_id="0c" * 16) for span in SPANS]

LATER = 1_800_000_000_000
"""A record's timestamp after all answers."""


def intake(encoding: str) -> Intake:
    spans = whole_traces(encoding, partial(rows))
    return Intake(envelope=envelope(encoding, spans, max_bytes=1 << 20))


def read(value: bytes, encoding: str = "otlp_proto") -> RagTrace | Rejection:
    return intake(encoding).decode(record(value, timestamp=LATER))


def detail(spans: list[Span]) -> tuple[str, str]:
    refused = read(as_proto(spans))
    assert isinstance(refused, Rejection), refused
    assert intake("otlp_proto").head(record(as_proto(spans))) == refused
    return refused.reason, refused.detail


@pytest.mark.parametrize("encoding", ["otlp_proto", "auto"])
def test_a_whole_trace_is_the_row_that_assembling_would_make(encoding: str) -> None:
    (made,) = rows(SPANS)

    trace = read(SHOP, encoding)

    assert trace == made
    assert isinstance(trace, RagTrace)
    assert "30 days" in (trace.answer or "")
    assert len(trace.contexts or ()) == 3


@pytest.mark.parametrize("encoding", ["otlp_json", "auto"])
def test_it_is_the_same_in_json(encoding: str) -> None:
    value = (TRACES / "langchain_oi.json").read_bytes()

    assert read(value, encoding) == read(SHOP)


def test_sampling_sees_the_same_of_it() -> None:
    head, trace = intake("otlp_proto").head(record(SHOP, timestamp=LATER)), read(SHOP)

    assert isinstance(head, Head)
    assert isinstance(trace, RagTrace)
    assert (head.trace_id, head.profile.assistant) == (trace.trace_id, trace.assistant)


def test_spans_of_several_traces_are_not_one_row() -> None:
    reason, said = detail([*SPANS, *OTHER])

    assert (reason, said.split(":")[0]) == ("not_one_row", "spans of 2 traces")
    assert "streamgauge assemble" in said


def test_spans_without_an_answer_are_no_row() -> None:
    assert detail([bare_span("GET /")])[1].startswith("a trace of 0 answers")


def test_spans_of_our_own_are_not_judged_and_not_kept() -> None:
    refused = read(as_proto([bare_span("evaluate", resource={"service.name": OUR_NAME})]))

    assert isinstance(refused, Rejection)
    assert (refused.reason, refused.kept) == ("probe", False)


@pytest.mark.parametrize(
    ("value", "detail"),
    [
        (b"", "empty: there is no message"),
        (b"\xff", "not_otlp: not OTLP protobuf"),
        (b'{"resourceSpans": []}', "not_otlp: not OTLP protobuf; it looks like JSON"),
        (as_proto([bare_span("chat", span_id="0b" * 7)]), "bad_id: span_id"),
    ],
)
def test_spans_that_cannot_be_read_are_refused_with_the_fault(value: bytes, detail: str) -> None:
    refused = read(value)

    assert isinstance(refused, Rejection)
    assert refused.reason == "unreadable_spans"
    assert refused.detail.startswith(detail)


def test_a_tombstone_is_a_tombstone() -> None:
    refused = intake("otlp_proto").decode(record(b"")._replace(value=None))

    assert isinstance(refused, Rejection)
    assert refused.reason == "tombstone"


@pytest.mark.parametrize("encoding", ["otlp_proto", "otlp_json"])
def test_only_its_own_encoding_is_read(encoding: SpanEncoding) -> None:
    value = as_json(SPANS) if encoding == "otlp_proto" else as_proto(SPANS)

    refused = read(value, encoding)

    assert isinstance(refused, Rejection)
    assert refused.detail.startswith("not_otlp")


def test_a_topic_of_rows_needs_no_reader_of_spans() -> None:
    assert not whole_traces("json", partial(rows))
    assert not whole_traces("confluent", partial(rows))
