"""Traces that others published, read where they lie: nothing of them is copied here.

docs/dialects.md says of each what it gives.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from schemas.trace import RagTrace
from streams.assemble.otlp import UnreadableSpansError
from streams.assemble.otlp_json import spans
from streams.assemble.rows import rows
from streams.assemble.span import Span

PUBLIC = Path(__file__).parents[4] / "shared" / "data" / "traces" / "public"
PAGE = Path(__file__).parents[3] / "docs" / "dialects.md"


@pytest.fixture
def public() -> Path:
    if not PUBLIC.is_dir():
        print("SKIPPED: the public traces are not beside the project", file=sys.stderr)  # noqa: T201
        pytest.skip("the public traces are not beside the project (../shared)")
    return PUBLIC


def of_otlp(path: Path) -> list[RagTrace]:
    return _rows(spans(path.read_bytes()))


def of_map(path: Path) -> list[RagTrace]:
    """Read attributes alone, as those of a span."""
    attributes = json.loads(path.read_bytes())
    return rows([Span("0" * 31 + "1", "0" * 15 + "1", None, "span", 0, 1, attributes)])


def of_javascript(path: Path) -> list[RagTrace]:
    """Read spans as the JavaScript SDK holds them in memory."""
    return _rows(
        [
            Span(
                trace_id=one["spanContext"]["traceId"],
                span_id=one["spanContext"]["spanId"],
                parent_id=None,
                name=one["name"],
                start_ns=_nanoseconds(one["startTime"]),
                end_ns=_nanoseconds(one["endTime"]),
                attributes=one["attributes"],
            )
            for one in json.loads(path.read_bytes())
        ]
    )


def _nanoseconds(parts: list[int]) -> int:
    return parts[0] * 1_000_000_000 + parts[1]


def _rows(found: list[Span]) -> list[RagTrace]:
    traces: dict[str, list[Span]] = defaultdict(list)
    for span in found:
        traces[span.trace_id].append(span)
    return [row for trace in traces.values() for row in rows(trace)]


def test_openlit_s_call_has_one_text_for_its_prompt(public: Path) -> None:
    [row] = of_otlp(public / "langfuse_test_openlit_openai.json")

    assert row.question == "What is LLM Observability?"
    assert row.answer is not None
    assert row.answer.startswith("LLM Observability stands for logs")
    assert row.response_id == "chatcmpl-AugxBIoQzz2zFMWFoiyS3Vmm1OuQI"
    assert (row.assistant, row.attributes) == ("default/default", {"model": "gpt-3.5-turbo"})
    assert (row.dialect, row.missing) == ("genai", ("contexts",))


def test_semantic_kernel_s_messages_are_events(public: Path) -> None:
    [row] = of_otlp(public / "langfuse_test_semantic_kernel_events.json")

    assert row.question == "What is the capital of France?"
    assert row.answer == "The capital of France is Paris."
    assert row.attributes == {"model": "gpt-4-0613"}
    assert (row.dialect, row.missing) == ("genai", ("service", "contexts"))


def test_an_older_traceloop_s_prompt_is_flattened(public: Path) -> None:
    [row] = of_otlp(public / "langfuse_test_traceloop_openai.json")

    assert row.question == "What is LLM Observability?"
    assert row.answer is not None
    assert row.answer.endswith("any issues that may arise.")
    assert row.attributes == {"model": "gpt-3.5-turbo-0125"}
    assert (row.dialect, row.missing) == ("traceloop", ("contexts",))


def test_a_call_that_counts_tokens_alone_tells_nothing(public: Path) -> None:
    [row] = of_otlp(public / "langfuse_test_openinference_agno.json")

    assert (row.dialect, row.missing) == ("openinference", ("question", "contexts", "answer"))


@pytest.mark.parametrize(
    ("name", "dialect", "response"),
    [
        ("otel_genai_client_span_tool_calls", "genai", "chatcmpl-CQF10eCkoFphJZJQkzzN6EkTD0AVF"),
        (
            "otel_genai_deprecated_client_span_tool_calls",
            "genai",
            "chatcmpl-CQF10eCkoFphJZJQkzzN6EkTD0AVF",
        ),
        ("openinference_client_span_tool_calls", "openinference", None),
    ],
)
def test_one_call_in_three_conventions_says_the_same(
    public: Path, name: str, dialect: str, response: str | None
) -> None:
    [row] = of_map(public / f"{name}.json")

    assert row.question == "Weather in Paris?"
    assert row.answer == "The weather in Paris is currently rainy with a temperature of 57°F."
    assert row.attributes == {"model": "gpt-4-0613"}
    assert (row.dialect, row.response_id) == (dialect, response)
    assert (row.contexts, row.tool_results) == (None, ("rainy, 57°F",))


def test_a_tool_s_span_alone_is_no_answer(public: Path) -> None:
    assert of_map(public / "otel_genai_tool_execution_span.json") == []


def test_a_web_server_s_span_alone_is_no_answer(public: Path) -> None:
    assert of_otlp(public / "otlp_proto_example_trace.json") == []


@pytest.mark.parametrize("name", ["otlp_proto_example_logs", "otlp_proto_example_events"])
def test_logs_are_no_spans(public: Path, name: str) -> None:
    with pytest.raises(UnreadableSpansError, match="no_spans"):
        of_otlp(public / f"{name}.json")


@pytest.mark.parametrize(
    ("name", "asked", "answered"),
    [
        ("ai-generateText", "Write a haiku about programming.", "Lines of code align,"),
        ("ai-generateText-doGenerate", "Write a haiku about programming.", "Lines of code align,"),
        ("ai-streamText-doStream", "Write a short poem about TypeScript.", "In code"),
    ],
)
def test_vercel_s_outer_and_inner_spans_say_the_same(
    public: Path, name: str, asked: str, answered: str
) -> None:
    row, *more = of_javascript(public / f"vercel_ai_sdk_v6_{name}.json")

    assert row.question == asked
    assert row.answer is not None
    assert row.answer.startswith(answered)
    assert (row.dialect, row.missing) == ("vercel", ("service", "contexts"))
    assert [(one.question, one.answer) for one in more] in (
        [],
        [("And what is 3 + 3?", "3 + 3 equals 6.")],
    )


def test_every_public_trace_is_on_the_page(public: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert [path.name for path in public.glob("*.json") if path.name not in page] == []
