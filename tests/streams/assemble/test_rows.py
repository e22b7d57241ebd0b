"""Rows out of spans: whatever the order, whatever the values, one for each turn."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.json_text import read_object
from schemas.rejection import Rejection
from streams.assemble.content.values import MAX_VALUE_BYTES
from streams.assemble.rows import rows
from streams.assemble.span import Scope, Span, SpanEvent, Value
from streams.intake.decode import Intake
from streams.ports import Record
from tests.streams.assemble.making import an_id, chat, retrieval, span, step
from tests.streams.assemble.shop import TRACES, contexts_of, the_spans

NAMES = sorted(
    path.stem for path in TRACES.glob("*.json") if path.stem != "streamgauge_evaluation_log"
)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=5)
@given(seed=st.integers(0, 1 << 32), twice=st.integers(0, 3))
def test_the_order_of_spans_and_copies_of_them_change_nothing(
    name: str, seed: int, twice: int
) -> None:
    spans = the_spans(name)
    shuffled = spans + spans[:twice]
    random.Random(seed).shuffle(shuffled)

    assert rows(shuffled) == rows(spans)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("streamgauge")])
def test_a_row_of_spans_is_a_row_that_intake_reads_as_it_was(name: str) -> None:
    [row] = rows(the_spans(name))

    decoded = Intake().decode(_record(row.to_json()))

    assert not isinstance(decoded, Rejection)
    assert decoded == row
    assert read_object(row.to_json(), max_bytes=1 << 20)["trace_id"] == row.trace_id


def test_a_session_gives_a_row_for_each_turn_known_by_its_step() -> None:
    session = [span(1, at=0, ends=99)]
    for number, at, hour in ((10, 1, "ten"), (20, 11, "noon")):
        session += [
            step(number, 1, at=at, ends=at + 8, asked=f"At {hour}?", says=f"Yes, {hour}."),
            retrieval(number + 1, number, at=at + 1, text=f"Open at {hour}."),
            chat(number + 2, number, at=at + 3, says=f"Yes, {hour}."),
        ]

    first, second = rows(session)

    assert first.trace_id == second.trace_id
    assert (first.root_span_id, second.root_span_id) == (an_id(10), an_id(20))
    assert (first.span_id, second.span_id) == (an_id(12), an_id(22))
    assert (first.question, first.answer) == ("At ten?", "Yes, ten.")
    assert (second.question, second.answer) == ("At noon?", "Yes, noon.")
    assert contexts_of(first) == {"kb-1": "Open at ten."}
    assert contexts_of(second) == {"kb-1": "Open at noon."}
    assert first.answered_at < second.answered_at


def test_the_time_is_the_end_of_the_model_s_call_that_said_the_answer() -> None:
    spans = [
        step(1, None, at=0, ends=90, asked="When?", says="At ten."),
        retrieval(2, 1, at=1),
        chat(3, 1, at=20, says="I say: At ten."),
        chat(4, 1, at=50, says="More questions? Ask away."),
    ]

    [row] = rows(spans)

    assert (row.answer, row.span_id) == ("At ten.", an_id(3))
    assert row.answered_at.timestamp() == 21


def test_a_query_in_other_words_is_no_answer_even_where_the_answer_is_lost() -> None:
    spans = [
        span(1, at=0, ends=90),
        chat(2, 1, at=1, says="opening hours museum"),
        retrieval(3, 1, at=5),
        chat(4, 1, at=9, says=None),
    ]

    [row] = rows(spans)

    assert (row.answer, row.span_id) == (None, an_id(4))
    assert row.missing == ("answer",)


def test_an_answer_whose_span_has_no_end_or_one_before_its_start_is_an_answer() -> None:
    for end in (0, 4 * 10**9):
        late = replace(chat(3, 1, at=9), end_ns=end)

        [row] = rows([span(1, at=0, ends=90), retrieval(2, 1, at=5), late])

        assert (row.answer, row.span_id, row.missing) == ("At ten.", an_id(3), ())


def test_several_retrievals_stand_one_after_the_other_each_passage_once() -> None:
    spans = [
        span(1, at=0, ends=90),
        retrieval(4, 1, at=3, text="Open at ten."),
        retrieval(2, 1, at=1, text="Closed on Monday."),
        retrieval(3, 1, at=2, text="Open at ten."),
        chat(5, 1, at=9),
    ]

    [row] = rows(spans)

    assert contexts_of(row) == {"kb-1": "Closed on Monday.", "kb-1#2": "Open at ten."}


def test_a_lost_root_is_said_and_costs_no_row() -> None:
    [row] = rows([retrieval(2, 77, at=1), chat(3, 77, at=2)])

    assert row.attributes["root_missing"] == "true"
    assert (row.answer, row.root_span_id) == ("At ten.", an_id(2))


def test_whose_a_row_is_stands_in_the_resource_unless_all_are_of_one_assistant() -> None:
    nameless = replace(chat(1, None, at=0), resource={})
    named = replace(nameless, resource={"service.name": "docs", "deployment.environment": "qa"})

    assert [row.assistant for row in rows([nameless])] == ["unknown_service/production"]
    assert [row.assistant for row in rows([nameless], assistant=("shop", "qa"))] == ["shop/qa"]
    assert [row.assistant for row in rows([named])] == ["docs/qa"]
    assert [row.assistant for row in rows([named], assistant=("shop", "eu"))] == ["shop/eu"]


def test_a_gateway_s_call_without_its_step_belongs_to_who_made_the_call() -> None:
    search = replace(retrieval(2, 77, at=1), resource={"service.name": "search"})

    [row] = rows([search, chat(3, 77, at=2)])

    assert row.service == "shop"


def test_a_text_that_is_too_long_is_missing_and_never_cut() -> None:
    long = "ä" * (MAX_VALUE_BYTES // 2 + 1)

    [row] = rows([chat(1, None, at=0, says=long, asked="When?")])

    assert row.answer is None
    assert row.missing == ("contexts", "answer")


KEYS = (
    *("gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages", "input.value"),
    *("gen_ai.retrieval.documents", "gen_ai.tool.call.result", "gen_ai.response.finish_reasons"),
    *("gen_ai.prompt", "gen_ai.completion", "gen_ai.prompt.0.content", "openinference.span.kind"),
    *("output.value", "retrieval.documents.0.document.content", "llm.prompts", "llm.model_name"),
    *("llm.output_messages.0.message.content", "traceloop.span.kind", "traceloop.entity.output"),
    *("llm.request.type", "langfuse.observation.type", "langfuse.observation.output"),
    *("langsmith.span.kind", "mlflow.spanType", "mlflow.spanOutputs", "ai.operationId"),
    *("ai.response.text", "ai.response.toolCalls", "ai.toolCall.result", "final_result"),
    *("pydantic_ai.all_messages", "pydantic_ai.new_message_index", "session.id"),
)
WORDS = st.sampled_from(
    [
        *("chat", "retrieval", "execute_tool", "CHAIN", "LLM", "RETRIEVER", "TOOL", "task", "tool"),
        *("span", "generation", "retriever", '"RETRIEVER"', "ai.toolCall", "ai.generateText"),
        *('{"answer": "x", "documents": [{"id": 1, "text": "y"}]}', "[[1", "[]", "{}", "\ud800"),
        *('{"messages": [{"role": "user", "content": [{"type": {}}]}]}', "", "a b"),
    ]
)
VALUES: st.SearchStrategy[Value] = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers() | st.floats() | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "parts", "type", "messages", "id", "documents"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
ATTRIBUTES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
SPANS = st.builds(
    Span,
    trace_id=st.just("ab" * 16),
    span_id=st.integers(1, 6).map(an_id),
    parent_id=st.none() | st.integers(1, 7).map(an_id),
    name=st.just("any"),
    start_ns=st.integers(0, (1 << 64) - 1),
    end_ns=st.integers(0, (1 << 64) - 1),
    attributes=ATTRIBUTES,
    events=st.lists(
        st.builds(
            SpanEvent,
            st.sampled_from(["gen_ai.choice", "gen_ai.user.message", "db.query.result"]),
            st.just(1),
            ATTRIBUTES,
        ),
        max_size=1,
    ).map(tuple),
    resource=st.dictionaries(st.just("service.name"), VALUES),
    scope=st.sampled_from(["", "pydantic-ai", "openinference.instrumentation.x"]).map(Scope),
)


@settings(max_examples=50)
@given(st.lists(SPANS, max_size=6), st.randoms(use_true_random=False))
def test_whatever_the_values_are_rows_come_out_the_same_in_any_order(
    spans: list[Span], rng: random.Random
) -> None:
    made = rows(spans)

    shuffled = list(spans)
    rng.shuffle(shuffled)

    assert [row.to_json() for row in rows(shuffled)] == [row.to_json() for row in made]


def _record(value: bytes) -> Record:
    return Record("rag.traces", 0, 0, None, value, 1 << 42)
