"""Vercel's AI SDK, as its spans look in OTLP."""

import json

from streams.assemble.rows import rows
from streams.assemble.span import Span
from tests.streams.assemble.making import span
from tests.streams.assemble.shop import contexts_of

DOCUMENTS = [{"id": "kb-1", "content": "Open at ten."}, {"id": "kb-2", "content": "Mondays no."}]


def test_the_inner_span_is_the_target_and_what_a_tool_found_are_the_passages() -> None:
    [row] = rows(a_trace())

    assert (row.question, row.answer) == ("When?", "At ten.")
    assert contexts_of(row) == {"kb-1": "Open at ten.", "kb-2": "Mondays no."}
    assert (row.session_id, row.response_id) == ("s-1", "resp-2")
    assert row.attributes == {"model": "m-2026", "context_source": "tool"}
    assert (row.span_id, row.root_span_id) == (f"{4:016x}", f"{1:016x}")
    assert (row.dialect, row.missing) == ("vercel", ())


def test_the_last_question_of_a_conversation_is_asked_and_the_rest_is_history() -> None:
    told = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "When?"}]},
        {"role": "assistant", "content": "At ten."},
        {"role": "user", "content": "On Sunday?"},
    ]
    inner = span(
        1,
        attributes={
            "ai.operationId": "ai.streamText.doStream",
            "ai.prompt.messages": json.dumps(told),
            "ai.response.text": "At noon.",
        },
    )

    [row] = rows([inner])

    assert (row.question, row.answer) == ("On Sunday?", "At noon.")
    assert [turn.text for turn in row.history or ()] == ["When?", "At ten."]


def test_an_object_s_answer_and_an_older_text_are_answers_too() -> None:
    inner = {"ai.operationId": "ai.generateObject.doGenerate"}

    [of_object] = rows(
        [span(1, attributes={**inner, "ai.response.object": '{"answer": "At ten.", "sure": 1}'})]
    )
    [older] = rows([span(1, attributes={**inner, "ai.result.text": "At ten."})])

    assert of_object.answer == older.answer == "At ten."


def a_trace() -> list[Span]:
    """Return a call that looks something up, and then answers."""
    inner = {"ai.operationId": "ai.generateText.doGenerate", "ai.response.model": "m-2026"}
    return [
        span(
            1,
            at=0,
            ends=9,
            attributes={
                "ai.operationId": "ai.generateText",
                "ai.prompt": '{"prompt": "When?"}',
                "ai.response.text": "At ten.",
                "ai.telemetry.metadata.sessionId": "s-1",
            },
        ),
        span(
            2,
            1,
            at=1,
            attributes={
                **inner,
                "ai.response.id": "resp-1",
                "ai.response.toolCalls": '[{"toolName": "look"}]',
                "ai.response.text": "I look it up.",
            },
        ),
        span(
            3,
            1,
            at=3,
            attributes={
                "ai.operationId": "ai.toolCall",
                "ai.toolCall.name": "look",
                "ai.toolCall.result": json.dumps(DOCUMENTS),
            },
        ),
        span(
            4,
            1,
            at=5,
            attributes={**inner, "ai.response.id": "resp-2", "ai.response.text": "At ten."},
        ),
    ]
