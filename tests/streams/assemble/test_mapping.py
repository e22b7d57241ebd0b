"""Spans that speak no dialect, read by what people say of them."""

import json

from schemas.trace import RagTrace
from streams.assemble.dialects.known import hearing
from streams.assemble.mapping import SpanFields, value_at
from streams.assemble.rows import rows
from streams.assemble.span import Span
from tests.streams.assemble.making import an_id, chat, span
from tests.streams.assemble.shop import contexts_of

TURN = SpanFields(
    span="rag.*",
    question="app.request.question",
    contexts="app.passages",
    answer="app.reply",
    session_id="app.session",
    response_id="app.reply_id",
    model="app.model",
)


def made(spans: list[Span], *fields: SpanFields) -> list[RagTrace]:
    return rows(spans, hear=hearing(fields))


def a_turn(number: int, parent: int | None = None, *, hour: str, at: float = 0) -> Span:
    return span(
        number,
        parent,
        at=at,
        ends=at + 9,
        name="rag.answer",
        attributes={
            "app.request": json.dumps({"question": f"At {hour}?"}),
            "app.passages": json.dumps([{"id": "kb-1", "text": f"Open at {hour}."}]),
            "app.reply": f"Yes, {hour}.",
            "app.session": "s-1",
            "app.reply_id": "r-1",
            "app.model": "m",
        },
    )


def test_one_span_with_all_of_it_is_a_row() -> None:
    [row] = made([a_turn(1, hour="ten")], TURN)

    assert (row.question, row.answer) == ("At ten?", "Yes, ten.")
    assert contexts_of(row) == {"kb-1": "Open at ten."}
    assert (row.session_id, row.response_id) == ("s-1", "r-1")
    assert row.attributes == {"model": "m", "context_source": "inputs"}
    assert (row.dialect, row.missing) == ("mapped", ())


def test_such_spans_are_turns_of_their_own() -> None:
    spans = [span(1, ends=99), a_turn(2, 1, hour="ten"), a_turn(3, 1, hour="noon", at=20)]

    assert [row.answer for row in made(spans, TURN)] == ["Yes, ten.", "Yes, noon."]


def test_the_model_s_own_span_within_it_is_the_target() -> None:
    [row] = made([a_turn(1, hour="ten"), chat(2, 1, at=3, says="Yes, ten.")], TURN)

    assert (row.span_id, row.root_span_id) == (an_id(2), an_id(1))


def test_without_a_mapping_they_say_nothing() -> None:
    assert made([a_turn(1, hour="ten")]) == []


def test_a_mapping_names_a_retriever_and_a_model_apart() -> None:
    retriever = SpanFields(span="search", question="q", contexts="hits")
    model = SpanFields(span="llm", answer="out.choices.0.text")
    spans = [
        span(1, ends=9),
        span(2, 1, at=1, name="search", attributes={"q": "hours", "hits": ["[7] Open at ten."]}),
        span(3, 1, at=2, name="llm", attributes={"out": '{"choices": [{"text": "At ten."}]}'}),
    ]

    [row] = made(spans, retriever, model)

    assert (row.question, row.answer) == ("hours", "At ten.")
    assert contexts_of(row) == {"7": "Open at ten."}
    assert row.attributes["context_source"] == "retriever"


def test_a_mapping_wins_over_the_dialect_that_a_span_speaks() -> None:
    fields = SpanFields(span="step", question="app.q", answer="app.a")
    spoken = chat(1, None, at=0)
    both = spoken.attributes | {"app.q": "Really?", "app.a": "No."}  # type: ignore[operator]

    [row] = made([span(1, attributes=both)], fields)

    assert (row.question, row.answer) == ("Really?", "No.")


def test_the_longest_name_that_is_an_attribute_s_counts() -> None:
    both = span(1, attributes={"a": {"b": {"c": "inner"}}, "a.b": {"c": "outer"}})

    assert value_at(both, "a.b.c") == "outer"
    assert value_at(both, "a.x") is None
    assert value_at(both, "z") is None
