"""Pydantic AI: retrieval as a tool."""

import json

from streams.assemble.rows import rows
from tests.streams.assemble.making import span
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


def test_what_the_retrieving_tool_gave_back_are_the_passages() -> None:
    row = the_row("pydantic_ai")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert (row.session_id, row.response_id) == ("01a229b9-fb48-733e-b911-c4b9f0442e42", None)
    assert (row.span_id, row.root_span_id) == ("3103bf863ef7fffb", "1df1211cf7a03d9c")
    assert row.attributes == {"model": "function:f:", "context_source": "tool"}
    assert (row.dialect, row.missing, row.tool_results) == ("pydantic_ai", (), None)


def test_a_run_that_continues_a_conversation_asks_its_own_question() -> None:
    told = [
        {"role": "user", "parts": [{"type": "text", "content": "When?"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "At ten."}]},
        {"role": "user", "parts": [{"type": "text", "content": "On Sunday?"}]},
    ]
    run = span(
        1,
        at=0,
        ends=9,
        scope="pydantic-ai",
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "pydantic_ai.all_messages": json.dumps(told),
            "pydantic_ai.new_message_index": 2,
            "final_result": "At noon.",
        },
    )
    call = span(2, 1, at=1, scope="pydantic-ai", attributes={"gen_ai.operation.name": "chat"})

    [row] = rows([run, call])

    assert (row.question, row.answer) == ("On Sunday?", "At noon.")
