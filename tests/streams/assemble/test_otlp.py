"""What both encodings promise: the same spans, whatever they are written in."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.assemble.otlp import MAX_DEPTH, SpanEncoding, UnreadableSpansError, span_reader
from streams.assemble.span import Scope, Span, SpanEvent, Value
from tests.streams.assemble.otlp_batches import as_json, as_proto, bare_span

TRACES = Path(__file__).parents[2] / "traces"
READ_JSON, READ_PROTO = span_reader("otlp_json"), span_reader("otlp_proto")
WRITE = {"otlp_json": as_json, "otlp_proto": as_proto}
BOTH: tuple[SpanEncoding, ...] = ("otlp_json", "otlp_proto")

IDS = st.integers(1, (1 << 64) - 1).map("{:016x}".format)
TRACE_IDS = st.integers(1, (1 << 128) - 1).map("{:032x}".format)
TEXTS = st.text(st.sampled_from('aé"\\\n\0\u2028\U0001f600'), max_size=4)
TIMES = st.integers(0, (1 << 64) - 1)
VALUES: st.SearchStrategy[Value] = st.recursive(
    TEXTS
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.binary(max_size=4)
    | st.none(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)
ATTRIBUTES = st.dictionaries(TEXTS, VALUES, max_size=2)
SPANS = st.builds(
    Span,
    trace_id=TRACE_IDS,
    span_id=IDS,
    parent_id=st.none() | IDS,
    name=TEXTS,
    start_ns=TIMES,
    end_ns=TIMES,
    attributes=ATTRIBUTES,
    events=st.lists(st.builds(SpanEvent, TEXTS, TIMES, ATTRIBUTES), max_size=2).map(tuple),
    resource=ATTRIBUTES,
    scope=st.builds(Scope, TEXTS, TEXTS),
    failed=st.booleans(),
)


@settings(max_examples=50)
@given(st.lists(SPANS, min_size=1, max_size=2))
def test_what_was_written_is_read_from_either_encoding(spans: list[Span]) -> None:
    assert READ_JSON(as_json(spans)) == spans
    assert READ_PROTO(as_proto(spans)) == spans


@pytest.mark.parametrize("name", ["langchain_oi", "llamaindex_oi", "genai_semconv_rag_structured"])
def test_a_real_trace_is_the_same_in_both_encodings(name: str) -> None:
    from_json = READ_JSON((TRACES / f"{name}.json").read_bytes())
    from_proto = READ_PROTO((TRACES / f"{name}.pb").read_bytes())

    assert len(from_json) >= 3
    assert from_json == from_proto
    assert from_json[0].resource["service.name"] == "shop-assistant"


def test_a_value_with_structure_is_read_as_structure() -> None:
    spans = READ_JSON((TRACES / "genai_semconv_rag_structured.json").read_bytes())

    documents = spans[0].attributes["gen_ai.retrieval.documents"]

    assert isinstance(documents, list)
    assert documents[0] == {
        "id": "kb-101",
        "score": 0.9,
        "content": "The return window for unopened items is 30 days from delivery.",
    }


@pytest.mark.parametrize("encoding", BOTH)
def test_of_traces_that_nobody_wants_only_the_ids_are_read(encoding: SpanEncoding) -> None:
    endless: Value = "end"
    for _ in range(MAX_DEPTH + 1):
        endless = [endless]
    unwanted = bare_span("chat", trace_id="0c" * 16, attributes={"deep": endless})
    asked: list[str] = []

    def keep(trace_id: str) -> bool:
        asked.append(trace_id)
        return trace_id == "0a" * 16

    found = span_reader(encoding)(
        WRITE[encoding]([unwanted, bare_span("chat"), unwanted, bare_span("chat")]), keep
    )

    assert found == [bare_span("chat"), bare_span("chat")]
    assert asked == ["0c" * 16, "0a" * 16]


@pytest.mark.parametrize("encoding", BOTH)
def test_a_value_may_be_nested_so_deep_and_no_deeper(encoding: SpanEncoding) -> None:
    nested: Value = 1
    for _ in range(MAX_DEPTH // 2):
        nested = [{"in": nested}]
    read, write = span_reader(encoding), WRITE[encoding]
    deepest = bare_span("chat", attributes={"a": nested})

    assert read(write([deepest])) == [deepest]
    with pytest.raises(UnreadableSpansError, match=r"^too_deep: attributes"):
        read(write([bare_span("chat", attributes={"a": [nested]})]))


@pytest.mark.parametrize("encoding", BOTH)
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_no_value(encoding: SpanEncoding, number: float) -> None:
    (span,) = span_reader(encoding)(
        WRITE[encoding]([bare_span("chat", attributes={"score": number})])
    )

    assert span.attributes == {"score": None}


@pytest.mark.parametrize("encoding", BOTH)
@pytest.mark.parametrize(
    ("ids", "field"),
    [
        ({"trace_id": ""}, "trace"),
        ({"trace_id": "0a" * 8}, "trace"),
        ({"trace_id": "00" * 16}, "trace"),
        ({"span_id": "0b" * 16}, "span"),
        ({"span_id": "00" * 8}, "span"),
        ({"parent_id": "0b" * 4}, "parent"),
    ],
)
def test_an_id_of_another_length_or_of_zeros_is_refused(
    encoding: SpanEncoding, ids: dict[str, str], field: str
) -> None:
    with pytest.raises(UnreadableSpansError, match=rf"^bad_id: {field}"):
        span_reader(encoding)(WRITE[encoding]([bare_span("chat", **ids)]))


@pytest.mark.parametrize("encoding", BOTH)
def test_a_parent_of_zeros_is_none(encoding: SpanEncoding) -> None:
    (span,) = span_reader(encoding)(WRITE[encoding]([bare_span("chat", parent_id="00" * 8)]))

    assert span.parent_id is None


@pytest.mark.parametrize("encoding", BOTH)
def test_an_empty_value_is_no_message(encoding: SpanEncoding) -> None:
    with pytest.raises(UnreadableSpansError, match=r"^empty"):
        span_reader(encoding)(b"")


@settings(max_examples=60)
@given(st.binary(max_size=64), st.sampled_from(BOTH))
def test_whatever_the_bytes_they_are_read_or_refused(value: bytes, encoding: SpanEncoding) -> None:
    try:
        span_reader(encoding)(value)
    except UnreadableSpansError as error:
        assert error.detail


@settings(max_examples=60)
@given(st.data(), st.sampled_from(BOTH))
def test_a_batch_with_damage_is_read_or_refused(
    data: st.DataObject, encoding: SpanEncoding
) -> None:
    batch = bytearray(WRITE[encoding]([bare_span("chat", attributes={"a": ["b", {"c": 1}]})]))
    for _ in range(data.draw(st.integers(1, 4))):
        batch[data.draw(st.integers(0, len(batch) - 1))] = data.draw(st.integers(0, 255))

    try:
        span_reader(encoding)(bytes(batch))
    except UnreadableSpansError as error:
        assert error.detail
