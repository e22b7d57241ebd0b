"""What is sure of a prompt, and what is not."""

import pytest

from streams.assemble.content.prompts import passages_in, question_of


def test_announced_lines_with_marks_of_their_own_are_passages() -> None:
    prompt = "Use the sources.\n[1] Open at ten.\n\n[kb-2]: Closed on Monday.\n\nQuestion: When?"

    found = passages_in(prompt)

    assert [(one.key, one.text) for one in found or ()] == [
        ("1", "Open at ten."),
        ("kb-2", "Closed on Monday."),
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "[10:02] Hello.\n[10:03] Good day.",
        "Context:\n[1] Open at ten.",
        "Context:\n[1] Open at ten.\n[1] Closed on Monday.",
        "Context:\n[1] Open at ten.\nExcept in May.\n[2] Closed on Monday.",
        "The context is below.",
    ],
    ids=["not announced", "one alone", "one mark twice", "words between", "none"],
)
def test_anything_less_is_not_sure(prompt: str) -> None:
    assert passages_in(prompt) is None


def test_a_message_without_the_passages_is_the_question() -> None:
    assert question_of("Question: when?", contexts=["Open."], query="hours") == "Question: when?"


def test_the_question_stands_under_its_label_wherever_the_passages_are() -> None:
    after = "Open at ten.\nQ: When?\nAnswer:"
    before = "Question: When?\nContext: Open at ten."

    assert question_of(after, contexts=["Open at ten."], query="hours") == "When?"
    assert question_of(before, contexts=["Open at ten."], query="hours") == "When?"


def test_without_a_label_it_is_the_query_or_else_all_of_it() -> None:
    prompt = "Open at ten.\n\nWhen?"

    assert question_of(prompt, contexts=["Open at ten."], query="hours") == "hours"
    assert question_of(prompt, contexts=["Open at ten."], query=None) == prompt
