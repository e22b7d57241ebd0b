"""Traceloop's OpenLLMetry: LangChain's entities, older calls, vector databases."""

from streams.assemble.rows import rows
from streams.assemble.span import SpanEvent
from tests.streams.assemble.making import chat, span
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


def test_langchain_s_documents_go_by_their_source_because_their_ids_are_lost() -> None:
    row = the_row("langchain_tl")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == {f"{key}.md": text for key, text in PASSAGES.items()}
    assert (row.session_id, row.response_id) == ("sess-1", None)
    assert (row.span_id, row.root_span_id) == ("0dafcd864b7ada69", "8cf874d04ad95880")
    assert row.attributes == {"context_source": "retriever"}
    assert (row.dialect, row.missing) == ("traceloop", ())


def test_a_vector_database_s_hits_are_events_one_for_each() -> None:
    search = span(
        2,
        1,
        at=1,
        events=(
            SpanEvent(
                "db.query.result",
                1,
                {"db.query.result.id": "a", "db.query.result.document": "Open at ten."},
            ),
            SpanEvent(
                "db.query.result",
                2,
                {
                    "db.query.result.id": "b",
                    "db.query.result.document": "Closed on Monday.",
                    "db.query.result.distance": 0.2,
                },
            ),
        ),
    )

    [row] = rows([span(1, at=0, ends=9), search, chat(3, 1, at=5)])

    assert contexts_of(row) == {"a": "Open at ten.", "b": "Closed on Monday."}
    assert [passage.score for passage in row.contexts or ()] == [None, None]


def test_an_older_call_has_its_prompt_and_completion_flattened() -> None:
    call = span(
        1,
        attributes={
            "llm.request.type": "chat",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "When?",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "At ten.",
            "gen_ai.response.model": "m",
        },
    )

    [row] = rows([call])

    assert (row.question, row.answer, row.attributes) == ("When?", "At ten.", {"model": "m"})
    assert (row.dialect, row.missing) == ("traceloop", ("contexts",))


def test_an_older_request_for_a_tool_is_no_answer() -> None:
    call = span(
        2,
        1,
        at=1,
        attributes={
            "llm.request.type": "chat",
            "gen_ai.completion.0.content": "I look it up.",
            "gen_ai.completion.0.tool_calls.0.name": "look",
        },
    )

    [row] = rows([span(1, at=0, ends=9), call, chat(3, 1, at=5, says="At ten.")])

    assert row.answer == "At ten."
