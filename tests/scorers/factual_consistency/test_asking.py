"""How an assistant is asked again, which one, and what cannot be asked."""

import asyncio

import httpx
import pytest
from tenacity.wait import wait_none

from schemas.score import InvalidInput, NotScorable
from schemas.trace import Turn
from scorers.assistant import Address, HttpAssistant
from scorers.contract import JudgeUnavailableError
from scorers.factual_consistency import FactualConsistency
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.retrying import RetryingJudge
from tests.fakes import ScriptedJudge, a_trace, unavailable
from tests.scorers.factual_consistency.asked_again import ScriptedAssistant, outcome, says, scored


async def test_a_fresh_answer_that_cannot_be_had_ends_the_row_and_the_other_calls() -> None:
    assistant = ScriptedAssistant([unavailable("http_503"), "hangs"])

    with pytest.raises(JudgeUnavailableError):
        await outcome(ScriptedJudge([]), assistant)

    assert assistant.cancelled == 1


async def test_equal_answers_are_samples_of_their_own() -> None:
    judge = ScriptedJudge([says("Consistent", 1.0), says("Consistent", 0.8)])

    result = await scored(judge, assistant=ScriptedAssistant(["Paris.", "Paris."]))

    assert result.breakdown["scores"] == [1.0, 0.8]


async def test_only_the_last_turn_is_put_another_way() -> None:
    assistant = ScriptedAssistant(["Paris.", "Paris."])
    said = (Turn(role="user", text="Hello."), Turn(role="assistant", text="Good day."))
    trace = a_trace().model_copy(update={"history": said})

    await outcome(ScriptedJudge([says("Consistent", 1)] * 2), assistant, trace)

    first, second = assistant.asked
    assert first == second
    assert tuple(first[:2]) == said
    assert "What is the capital of France?" in first[2].text
    assert assistant.temperatures == [0.7, 0.7]


async def test_a_row_gets_the_same_frame_whenever_it_is_judged() -> None:
    frames = [
        (await scored(ScriptedJudge([says("Consistent", 1)] * 2))).breakdown["template"]
        for _ in range(2)
    ]

    assert frames[0] == frames[1]


async def test_an_assistant_that_is_not_listed_is_never_asked() -> None:
    result = await FactualConsistency().score(a_trace(), ScriptedJudge([]))

    assert result == NotScorable(reason="assistant_not_listed")


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"question": " "}, "blank_question"),
        ({"answer": "\n"}, "blank_answer"),
        ({"trace_id": " "}, "blank_id"),
        ({"answer": None}, "missing_answer"),
    ],
)
async def test_what_cannot_be_asked_again_is_invalid_before_any_call(
    update: dict[str, object], reason: str
) -> None:
    assistant = ScriptedAssistant([])

    result = await outcome(ScriptedJudge([]), assistant, a_trace().model_copy(update=update))

    assert result == InvalidInput(reason=reason)
    assert assistant.asked == []


async def test_calls_to_assistant_and_judge_share_the_slots_over_all_rows() -> None:
    now, most, calls = 0, 0, 0

    async def reply(request: httpx.Request) -> httpx.Response:
        nonlocal now, most, calls
        now, calls = now + 1, calls + 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        if calls % 5 == 0:
            return httpx.Response(503)
        content = '{"explanation": "e", "label": "Consistent", "score": 1}'
        return httpx.Response(
            200, json={"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
        )

    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(reply))
    limit = slots(3)
    assistant = HttpAssistant(
        Address("http://assistant.invalid"), client, limit, retries=5, back_off=wait_none()
    )
    chat = ChatJudge(ChatModel("http://judge.invalid", "m"), client)
    judge = RetryingJudge(LimitedJudge(chat, limit), retries=5, back_off=wait_none())
    scorer = FactualConsistency({"helpdesk/production": assistant}, responses_per_query=4)

    rows = (scorer.score(a_trace(id=f"row-{n}"), judge) for n in range(8))
    results = await asyncio.gather(*rows)

    assert {result.status for result in results} == {"scored"}
    assert most == 3
