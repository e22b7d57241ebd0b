"""The `traceparent` header, found and read."""

import pytest

from streams.trace_context import TraceContext, carried, trace_context

TRACE_ID, SPAN_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CONTEXT = TraceContext(TRACE_ID, SPAN_ID)


@pytest.mark.parametrize(
    "header",
    [
        "", "00", f"00-{TRACE_ID}", f"ff-{TRACE_ID}-{SPAN_ID}-01", f"00-{'0' * 32}-{SPAN_ID}-01",
        f"00-{TRACE_ID}-{'0' * 16}-01", f"00-{TRACE_ID.upper()}-{SPAN_ID}-01",
        f" ff-{TRACE_ID}-{SPAN_ID}-01", f"00-{TRACE_ID}-{SPAN_ID}-01x",
    ],
)  # fmt: skip
def test_what_is_no_traceparent_is_not_read(header: str) -> None:
    assert trace_context(header) is None


def test_white_space_around_it_does_not_matter() -> None:
    assert trace_context(f" 00-{TRACE_ID}-{SPAN_ID}-01\t") == CONTEXT


def test_one_of_a_later_version_is_read() -> None:
    assert trace_context(f"01-{TRACE_ID}-{SPAN_ID}-00-more") == CONTEXT


def test_it_is_found_among_headers_whatever_its_bytes() -> None:
    assert carried([("mode", b"live"), ("traceparent", b"00-\xff")]) == "00-\ufffd"
    assert carried([("mode", b"live")]) is None
