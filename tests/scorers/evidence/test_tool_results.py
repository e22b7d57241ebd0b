import pytest
from pydantic import JsonValue

from scorers.evidence.tool_results import finished

YEAR: JsonValue = {"year": 1962}


@pytest.mark.parametrize(
    "item",
    [
        {"state": "result", "result": YEAR},
        {"type": "tool-search", "state": "output-available", "output": YEAR},
        {"type": "tool-invocation", "toolInvocation": {"state": "result", "result": YEAR}},
        {"role": "assistant", "toolInvocations": [{"state": "result", "result": YEAR}]},
        {
            "role": "assistant",
            "content": {
                "parts": [{"type": "text", "text": "hm"}, {"state": "result", "result": YEAR}]
            },
        },
        {"role": "assistant", "parts": [{"toolInvocation": {"state": "result", "result": YEAR}}]},
        {"role": "tool", "content": YEAR},
        {"type": "tool_result", "content": YEAR},
        {"type": "tool_call_response", "response": YEAR},
        YEAR,
    ],
)
def test_a_result_is_found_in_every_known_shape(item: JsonValue) -> None:
    assert finished([item]) == [YEAR]


@pytest.mark.parametrize(
    "item",
    [
        {"state": "call", "result": None},
        {"state": "partial-call", "result": YEAR},
        {"state": "error", "result": YEAR},
        {"state": "output-error", "errorText": "no"},
        {"type": "tool_result", "content": YEAR, "is_error": True},
        {"isError": True, "result": YEAR, "state": "result"},
        {"role": "tool", "content": YEAR, "status": "error"},
        {"role": "user", "parts": [{"state": "result", "result": YEAR}]},
        {"role": "assistant", "content": "At ten."},
        {"type": "text", "text": "At ten."},
        {"state": "result", "result": None},
        None,
    ],
)
def test_what_failed_or_never_finished_is_no_evidence(item: JsonValue) -> None:
    assert finished([item]) == []


def test_the_results_of_all_messages_are_read_in_order() -> None:
    messages: list[JsonValue] = [
        {"role": "assistant", "toolInvocations": [{"state": "result", "result": 1}]},
        {"role": "assistant", "toolInvocations": [{"state": "result", "result": 2}]},
    ]

    assert finished(messages) == [1, 2]
