"""LangSmith's OpenTelemetry mode: runs."""

import json

from streams.assemble.rows import rows
from tests.streams.assemble.making import span
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


def test_a_run_s_kind_is_believed_and_its_operation_is_not() -> None:
    row = the_row("langsmith_otel")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert (row.session_id, row.response_id) == ("sess-1", None)
    assert (row.span_id, row.root_span_id) == ("0e8f6067a382e89d", "35f1fa4331972c06")
    assert row.attributes == {"model": "gpt-x", "context_source": "retriever"}
    assert (row.dialect, row.missing) == ("langsmith", ())


def test_langchain_s_own_messages_and_generations_are_read() -> None:
    told = {"type": "constructor", "id": ["HumanMessage"], "kwargs": _message("human", "When?")}
    said = {"text": "At ten.", "message": {"kwargs": _message("ai", "At ten.")}}
    call = span(
        1,
        attributes={
            "langsmith.span.kind": "llm",
            "gen_ai.prompt": json.dumps({"messages": [[told]]}),
            "gen_ai.completion": json.dumps({"generations": [[said]]}),
        },
    )

    [row] = rows([call])

    assert (row.question, row.answer) == ("When?", "At ten.")


def _message(kind: str, content: str) -> dict[str, str]:
    return {"type": kind, "content": content}
