"""Which span of production a score belongs to."""

import pytest

from streams.telemetry.targets import AttachTo, Target, target
from tests.fakes import a_trace
from tests.streams.telemetry.told import SPAN_ID, TARGET, TRACE_ID, an_event

ROOT = "00f067aa0ba902b7"
OTHER = "4bf92f3577b34da6a3ce929d0e0e4736"


@pytest.mark.parametrize(
    ("attach_to", "span"), [("answer", SPAN_ID), ("root", ROOT)], ids=["answer", "root"]
)
def test_a_score_belongs_to_the_span_that_the_settings_say(attach_to: AttachTo, span: str) -> None:
    row = a_trace().model_copy(update={"root_span_id": ROOT})

    assert target(an_event(), row, attach_to) == Target(int(TRACE_ID, 16), int(span, 16))


def test_without_a_root_it_is_the_answer() -> None:
    assert target(an_event(), a_trace(), "root") == TARGET
    assert target(an_event(), None, "root") == TARGET


def test_the_case_and_dashes_of_an_id_do_not_matter() -> None:
    written = "0AF76519-16CD-43DD-8448-EB211C80319C"

    assert target(an_event(trace_id=written, span_id=SPAN_ID.upper()), None, "answer") == TARGET


def test_without_a_span_the_context_of_the_record_is_taken_if_it_is_of_the_trace() -> None:
    carried, strange = f"00-{TRACE_ID}-{SPAN_ID}-00", f"00-{OTHER}-{SPAN_ID}-01"

    assert target(an_event(span_id=None, traceparent=carried), None, "answer") == TARGET
    assert target(an_event(span_id=None, traceparent=strange), None, "answer") is None


@pytest.mark.parametrize("trace_id", ["order-123", "0" * 32, "0af7", "ü" * 32])
def test_an_id_of_another_kind_names_no_span(trace_id: str) -> None:
    assert target(an_event(trace_id=trace_id), None, "answer") is None
