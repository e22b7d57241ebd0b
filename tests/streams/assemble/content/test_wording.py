"""Questions and answers in functions' arguments and results, under the names that people give."""

import pytest

from streams.assemble.content.passages import RetrievedDocument
from streams.assemble.content.wording import answer_in, passages_given, question_in
from streams.assemble.span import Value


@pytest.mark.parametrize(
    "value",
    [
        "When?",
        {"question": "When?", "user_id": "u-1"},
        {"args": ["When?", [{"id": 1}]], "kwargs": {}},
        {"args": [], "kwargs": {"query": "When?", "k": 3}},
        {"inputs": "When?", "tags": [], "metadata": {"session_id": "s"}},
        {"input": {"question": "When?"}},
        {"messages": [{"role": "user", "content": "When?"}, {"role": "assistant", "content": ""}]},
        {"data": {"retriever": {"query": "hours"}, "builder": {"question": "When?"}}},
        {"query_bundle": {"query_str": "When?", "image_path": None}},
        {"ask": "When?"},
        '{"question": "When?"}',
    ],
)
def test_a_question_is_found_under_the_names_that_people_use(value: Value) -> None:
    assert question_in(value) == "When?"


@pytest.mark.parametrize("value", [{"a": "x", "b": "y"}, {}, [], None, 7, {"question": ""}])
def test_a_question_that_is_not_to_be_made_out_is_none(value: Value) -> None:
    assert question_in(value) is None


@pytest.mark.parametrize(
    "value",
    [
        "At ten.",
        {"answer": "At ten.", "context": "Open at ten."},
        {"llm": {"replies": ["At ten."], "meta": [{"model": "m"}]}},
        {"reasoning": "Hm.", "opening": "At ten."},
        {"outputs": "At ten.", "kwargs": {"tags": []}},
        {"messages": [{"type": "human", "content": "When?"}, {"type": "ai", "content": "At ten."}]},
        {"choices": [{"message": {"role": "assistant", "content": "At ten."}}]},
        {"response": "At ten.", "source_nodes": ["<NodeWithScore>"]},
        ["At ten."],
    ],
)
def test_an_answer_is_found_under_the_names_that_people_use(value: Value) -> None:
    assert answer_in(value) == "At ten."


@pytest.mark.parametrize(
    "value",
    [{"a": "x", "b": "y"}, {"price": 5, "unit": "EUR"}, ["x", "y"], {"replies": ["x", "y"]}, 7],
)
def test_of_two_texts_none_is_taken_for_the_answer(value: Value) -> None:
    assert answer_in(value) is None


def test_objects_without_end_are_not_followed() -> None:
    value: Value = "When?"
    for _ in range(50):
        value = {"input": value}

    assert question_in(value) is None


def test_a_context_field_is_a_list_or_a_text_with_marks_or_without() -> None:
    marked = "[a] Open at ten.\n\n[b] Closed on Monday."

    assert passages_given({"context": ["Open at ten."]}) == [RetrievedDocument("Open at ten.")]
    assert passages_given({"inputs": {"context": marked}}) == [
        RetrievedDocument("Open at ten.", "a"),
        RetrievedDocument("Closed on Monday.", "b"),
    ]
    assert passages_given({"context_str": "Open at ten."}) == [RetrievedDocument("Open at ten.")]
    assert passages_given({"question": "When?"}) is None
