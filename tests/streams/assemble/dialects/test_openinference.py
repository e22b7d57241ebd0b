"""OpenInference, as four frameworks and a reranker write it."""

import json
from collections.abc import Mapping

from streams.assemble.rows import rows
from streams.assemble.span import Span, Value
from tests.streams.assemble.making import span, step
from tests.streams.assemble.shop import ANSWER, PASSAGES, QUESTION, contexts_of, the_row


def test_langchain_has_the_documents_ids_in_a_dump_of_its_output_alone() -> None:
    row = the_row("langchain_oi")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert [passage.source for passage in row.contexts or ()] == [f"{key}.md" for key in PASSAGES]
    assert (row.session_id, row.response_id) == ("sess-1", None)
    assert (row.span_id, row.root_span_id) == ("02a40d02346ac9f5", "c084cc71e3e5c9cc")
    assert row.attributes == {"context_source": "retriever"}
    assert (row.dialect, row.missing) == ("openinference", ())


def test_llamaindex_retrieves_once_though_two_spans_say_so() -> None:
    row = the_row("llamaindex_oi")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert [passage.score for passage in row.contexts or ()] == [0.9, 0.8, 0.7]
    assert (row.span_id, row.root_span_id) == ("1d04d9c9e01a1a26", "ebce335bec92628e")
    assert row.attributes == {"model": "fake-llm", "context_source": "retriever"}


def test_haystack_s_prompt_builder_is_no_model_whatever_its_kind_says() -> None:
    row = the_row("haystack_oi")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == {key: PASSAGES[key] for key in ("kb-101", "kb-102")}
    assert (row.span_id, row.root_span_id) == ("ffb4531935df9055", "92e1802563d7130e")
    assert row.attributes == {"model": "fake-llm", "context_source": "retriever"}


def test_dspy_s_passages_are_the_context_that_a_step_was_given() -> None:
    row = the_row("dspy_oi")

    assert (row.question, row.answer) == (QUESTION, ANSWER)
    assert contexts_of(row) == PASSAGES
    assert (row.span_id, row.root_span_id) == ("83ddf294e5896ec8", "4ac17db5daa3b55f")
    assert row.attributes == {"model": "dummy", "context_source": "inputs"}


def test_what_a_reranker_kept_replaces_what_was_retrieved() -> None:
    retriever = span(
        2,
        1,
        at=1,
        attributes={
            "openinference.span.kind": "RETRIEVER",
            **_document("retrieval.documents.0", "a", "Open at nine."),
            **_document("retrieval.documents.1", "b", "Open at ten."),
        },
    )
    reranker = span(
        4,
        1,
        at=2,
        attributes={
            "openinference.span.kind": "RERANKER",
            **_document("reranker.output_documents.0", "b", "Open at ten."),
        },
    )

    [row] = rows([_root(), retriever, reranker, _llm({"llm.model_name": "m"})])

    assert contexts_of(row) == {"b": "Open at ten."}
    assert row.attributes["context_source"] == "reranker"


def test_documents_without_an_id_go_by_their_metadata_or_else_by_their_place() -> None:
    retriever = span(
        2,
        1,
        at=1,
        attributes={
            "openinference.span.kind": "RETRIEVER",
            "retrieval.documents.0.document.content": "Open at nine.",
            "retrieval.documents.0.document.metadata": json.dumps({"source": "hours.md"}),
            "retrieval.documents.1.document.content": "Open at ten.",
        },
    )

    [row] = rows([_root(), retriever, _llm()])

    assert contexts_of(row) == {"hours.md": "Open at nine.", "2": "Open at ten."}


def test_redacted_words_are_missing() -> None:
    root = step(1, None, at=0, ends=9, asked="__REDACTED__")

    [row] = rows([root, _llm({"llm.output_messages.0.message.content": "__REDACTED__"})])

    assert (row.question, row.answer) == (None, None)
    assert row.missing == ("question", "contexts", "answer")


def test_a_call_that_asks_for_a_tool_is_no_answer() -> None:
    calls: dict[str, Value] = {
        "llm.output_messages.0.message.content": "I look it up.",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "look",
    }
    tool = span(4, 1, at=6, attributes={"openinference.span.kind": "TOOL", "output.value": "[]"})
    final = span(
        5, 1, at=7, attributes={**_LLM, "llm.output_messages.0.message.content": "At ten."}
    )

    [row] = rows([step(1, None, at=0, ends=9), _llm(calls), tool, final])

    assert (row.answer, row.span_id) == ("At ten.", final.span_id)


def test_a_plain_text_is_one_though_it_looks_like_json() -> None:
    asked = '{"question": "When?"}'
    plain = {"openinference.span.kind": "CHAIN", "input.value": asked}

    [read] = rows([span(1, at=0, ends=9, attributes=plain), _llm()])
    [kept] = rows(
        [span(1, at=0, ends=9, attributes={**plain, "input.mime_type": "text/plain"}), _llm()]
    )

    assert (read.question, kept.question) == ("When?", asked)


def test_a_dump_of_the_response_has_its_id() -> None:
    dump = (
        '{"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": "Ten."}}]}'
    )

    [row] = rows([_llm({"output.value": dump})])

    assert (row.answer, row.response_id) == ("Ten.", "chatcmpl-1")


def test_an_empty_list_of_documents_is_nothing_retrieved_and_not_nothing_recorded() -> None:
    retriever = span(
        2,
        1,
        at=1,
        attributes={"openinference.span.kind": "RETRIEVER", "output.value": '{"documents": []}'},
    )

    [row] = rows([_root(), retriever, _llm()])

    assert row.contexts == ()
    assert row.missing == ()


_LLM: dict[str, Value] = {"openinference.span.kind": "LLM", "llm.model_name": "m"}


def _root() -> Span:
    return step(1, None, at=0, ends=9, asked="When?", says="At ten.")


def _llm(attributes: Mapping[str, Value] | None = None) -> Span:
    return span(3, 1, at=5, attributes={**_LLM, **(attributes or {})})


def _document(start: str, key: str, text: str) -> dict[str, Value]:
    return {f"{start}.document.id": key, f"{start}.document.content": text}
