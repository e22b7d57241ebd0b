"""OpenTelemetry's own conventions, generation by generation."""

import json

import pytest

from streams.assemble.rows import rows
from streams.assemble.span import Span, SpanEvent, Value
from tests.streams.assemble.making import span
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


@pytest.mark.parametrize("name", ["genai_semconv_rag", "genai_semconv_rag_structured"])
def test_a_trace_gives_its_question_passages_and_answer(name: str) -> None:
    row = the_row(name)

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert [passage.score for passage in row.contexts or ()] == [0.9, 0.8, 0.7]
    assert (row.session_id, row.response_id) == ("conv-7", "chatcmpl-abc")
    assert row.attributes == {"model": "gpt-x-2026", "context_source": "retriever"}
    assert (row.assistant, row.dialect) == ("shop-assistant/production", "genai")
    assert row.missing == ()


def test_the_target_is_the_model_s_call_and_its_end_is_the_time() -> None:
    row = the_row("genai_semconv_rag")

    assert row.trace_id == "1bf3bf94349bab44c5c06b46462aa742"
    assert (row.span_id, row.root_span_id) == ("7a8c2830a997be02", "2e3f63a0559abfa2")
    assert row.answered_at.isoformat() == "2026-11-29T23:57:58.819000+00:00"


def test_without_content_what_is_lost_is_named_and_nothing_is_made_up() -> None:
    row = the_row("genai_semconv_no_content")

    assert (row.question, row.contexts, row.answer) == (None, None, None)
    assert row.missing == ("question", "contexts", "answer")
    assert (row.session_id, row.response_id) == ("conv-7", "chatcmpl-abc")
    assert row.attributes == {"model": "gpt-x-2026"}


def test_messages_that_were_events_are_read_from_the_events() -> None:
    events = (
        SpanEvent("gen_ai.system.message", 1, {"content": "Be brief."}),
        SpanEvent("gen_ai.user.message", 2, {"content": "When is it open?"}),
        SpanEvent(
            "gen_ai.choice",
            3,
            {"index": 0, "message": '{"role": "assistant", "content": "At ten."}'},
        ),
    )

    [row] = rows([span(1, events=events, attributes={"gen_ai.response.model": "m"})])

    assert (row.question, row.answer) == ("When is it open?", "At ten.")
    assert row.missing == ("contexts",)


def test_one_event_with_all_details_is_read_like_the_attributes() -> None:
    details: dict[str, Value] = {
        "gen_ai.input.messages": [{"role": "user", "parts": [_text("When?")]}],
        "gen_ai.output.messages": [{"role": "assistant", "parts": [_text("At ten.")]}],
    }
    event = SpanEvent("gen_ai.client.inference.operation.details", 1, details)

    [row] = rows([span(1, events=(event,), attributes={"gen_ai.operation.name": "chat"})])

    assert (row.question, row.answer) == ("When?", "At ten.")


def test_content_events_are_one_text_that_says_who_speaks() -> None:
    events = (
        SpanEvent("gen_ai.content.prompt", 1, {"gen_ai.prompt": "system: Be brief.\nuser: When?"}),
        SpanEvent("gen_ai.content.completion", 2, {"gen_ai.completion": "At ten."}),
    )

    [row] = rows([span(1, events=events, attributes={"gen_ai.operation.name": "chat"})])

    assert (row.question, row.answer) == ("When?", "At ten.")


def test_a_flattened_prompt_is_put_together_by_its_indices() -> None:
    flat: dict[str, Value] = {
        "gen_ai.prompt.2.role": "user",
        "gen_ai.prompt.2.content": "And on Sunday?",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "When is it open?",
        "gen_ai.prompt.1.role": "assistant",
        "gen_ai.prompt.1.content": "At ten.",
        "gen_ai.prompt.999999999.content": "not this one",
        "gen_ai.completion.0.content": "At noon.",
    }

    [row] = rows(
        [span(1, attributes={"gen_ai.system": "openai", "gen_ai.request.model": "m", **flat})]
    )

    assert (row.question, row.answer) == ("And on Sunday?", "At noon.")
    assert [(turn.role, turn.text) for turn in row.history or ()] == [
        ("user", "When is it open?"),
        ("assistant", "At ten."),
    ]


def test_of_a_message_only_its_text_parts_are_read() -> None:
    said: list[Value] = [
        _text("At "),
        {"type": "reasoning", "content": "Hm."},
        {"type": "new"},
        _text("ten."),
    ]

    [row] = rows([_chat(said)])

    assert row.answer == "At ten."


def test_documents_without_a_text_are_looked_for_in_the_prompt() -> None:
    retrieval = span(
        2,
        1,
        at=0,
        attributes={
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.documents": [{"id": "kb-101", "score": 0.9}, {"id": "kb-102"}],
        },
    )
    lines = "\n".join(f"[{key}] {text}" for key, text in PASSAGES.items())
    prompt = f"Context:\n{lines}\n\nQuestion: {QUESTION}\nAnswer:"

    [row] = rows([span(1, at=0, ends=9), retrieval, _chat([_text(ANSWER)], prompt=prompt)])

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert row.attributes["context_source"] == "prompt"


def test_a_workflow_of_the_conventions_own_repository_is_an_agent_by_another_name() -> None:
    workflow = span(
        1,
        at=0,
        ends=9,
        attributes={
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.agent.name": "shop_rag",
            "gen_ai.input.messages": [{"role": "user", "parts": [_text("When?")]}],
        },
    )
    retrieval = span(
        2,
        1,
        at=1,
        attributes={
            "gen_ai.operation.name": "retrieval",
            "gen_ai.retrieval.top_k": 1,
            "gen_ai.retrieval.documents": json.dumps([{"id": "kb-1", "content": "Open at ten."}]),
        },
    )

    [row] = rows([workflow, retrieval, _chat([_text("At ten.")], prompt="rewritten")])

    assert (row.question, row.answer) == ("When?", "At ten.")
    assert contexts_of(row) == {"kb-1": "Open at ten."}


def test_an_agent_that_runs_elsewhere_answers_for_its_models() -> None:
    agent = span(
        1,
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.input.messages": [{"role": "user", "parts": [_text("When?")]}],
            "gen_ai.output.messages": [{"role": "assistant", "parts": [_text("At ten.")]}],
        },
    )

    [row] = rows([agent])

    assert (row.question, row.answer, row.span_id) == ("When?", "At ten.", agent.span_id)


def test_what_a_tool_gave_back_is_evidence_too_if_it_is_no_list_of_passages() -> None:
    tool = span(
        2,
        1,
        at=1,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "weather",
            "gen_ai.tool.call.result": '{"report": "rain"}',
        },
    )

    [row] = rows([span(1, at=0, ends=9), tool, _chat([_text("It rains.")])])

    assert row.contexts is None
    assert row.tool_results == ({"report": "rain"},)


def _text(content: str) -> dict[str, Value]:
    return {"type": "text", "content": content}


def _chat(said: list[Value], *, prompt: str = "When?") -> Span:
    return span(
        7,
        1,
        at=5,
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [{"role": "user", "parts": [_text(prompt)]}],
            "gen_ai.output.messages": [{"role": "assistant", "parts": said}],
        },
    )
