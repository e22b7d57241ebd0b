"""Langfuse's SDK: observations of any function."""

from streams.assemble.rows import rows
from tests.streams.assemble.making import span
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


def test_a_decorated_function_s_first_argument_is_the_question() -> None:
    row = the_row("langfuse_sdk")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert [passage.score for passage in row.contexts or ()] == [0.9, 0.9, 0.9]
    assert (row.session_id, row.response_id) == (None, None)
    assert (row.span_id, row.root_span_id) == ("a1103a628d27d714", "4f86824078adaea1")
    assert row.attributes == {"model": "gpt-x", "context_source": "retriever"}
    assert (row.dialect, row.missing) == ("langfuse", ())


def test_the_trace_s_own_words_do_where_the_root_observed_none() -> None:
    root = span(
        1,
        at=0,
        ends=9,
        attributes={
            "langfuse.trace.input": '{"question": "When?"}',
            "langfuse.trace.output": "At ten.",
            "langfuse.environment": "staging",
            "session.id": "s-1",
        },
    )
    call = span(
        2,
        1,
        at=5,
        attributes={
            "langfuse.observation.type": "generation",
            "langfuse.observation.output": "It opens. At ten.",
            "langfuse.observation.prompt.version": 7,
        },
    )

    [row] = rows([root, call])

    assert (row.question, row.answer) == ("When?", "At ten.")
    assert (row.environment, row.session_id) == ("staging", "s-1")
    assert row.attributes == {"prompt_version": "7"}


def test_retrieved_texts_without_more_are_passages_by_their_place() -> None:
    retriever = span(
        2,
        1,
        at=1,
        attributes={
            "langfuse.observation.type": "retriever",
            "langfuse.observation.output": '["Open at ten.", "Closed on Monday."]',
        },
    )
    call = span(
        3,
        1,
        at=2,
        attributes={
            "langfuse.observation.type": "generation",
            "langfuse.observation.input": '[{"role": "user", "content": "When?"}]',
            "langfuse.observation.output": '{"role": "assistant", "content": "At ten."}',
        },
    )

    [row] = rows([span(1, at=0, ends=9), retriever, call])

    assert contexts_of(row) == {"1": "Open at ten.", "2": "Closed on Monday."}
    assert (row.question, row.answer) == ("When?", "At ten.")
