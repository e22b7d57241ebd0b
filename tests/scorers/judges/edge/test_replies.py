"""Replies that are no answer, and what a reply may say of its cost (F33, F34, F53)."""

import json
from typing import Any

import pytest

from scorers.contract import (
    InvalidReplyError,
)
from scorers.judges.http import MAX_BYTES
from tests.judge_server import (
    completion,
    reply,
)
from tests.scorers.judges.edge.endpoint import KEY, VERDICT, Edge

pytestmark = pytest.mark.service


GARBAGE = {
    "a page": "<html>Bad gateway</html>",
    "nothing": "",
    "half an object": VERDICT[:20],
    "a list": "[1]",
    "prose around it": completion("Here you are: " + VERDICT),
    "two objects": completion(VERDICT + VERDICT),
    "an echo before it": completion(VERDICT + "\n" + VERDICT.replace("yes", "no")),
    "a number": completion('{"verdicts": [{"id": 1, "verdict": 7}]}'),
    "NaN": completion('{"verdicts": [{"id": NaN, "verdict": "yes"}]}'),
    "too large a number": completion('{"verdicts": [{"id": 1e999, "verdict": "yes"}]}'),
    "a boolean": completion('{"verdicts": [{"id": 1, "verdict": true}]}'),
    "null": completion("null"),
    "no choice": '{"choices": []}',
    "a double key": completion('{"verdicts": [], ' + VERDICT[1:]),
    "ten megabytes": b" " * (MAX_BYTES + 1),
    "another verdict too many": completion({"verdicts": [{"verdict": "yes"}] * 2}),
}


async def test_f33_an_echo_of_what_was_asked_is_no_answer() -> None:
    async with Edge() as edge:
        edge.server.play = lambda heard: reply(completion(heard.user))
        assert await edge.fail(retries=1) == "invalid_output"
        edge.server.play = lambda heard: reply(completion(json.dumps(heard.body)))
        assert await edge.fail(retries=1) == "invalid_output"
        edge.server.play = lambda heard: reply(heard.raw)
        assert await edge.fail(retries=1) == "invalid_output"


@pytest.mark.parametrize("named", ["text/html", "text/event-stream", "application/pdf", "?"])
async def test_f33_what_a_reply_is_called_is_not_what_it_is(named: str) -> None:
    page = reply("<html>Log in</html>", content_type=named)
    async with Edge(page, reply(completion(VERDICT), content_type=named)) as edge:
        assert (await edge.ask()).usage.attempts == 2


@pytest.mark.parametrize("body", GARBAGE.values(), ids=GARBAGE)
async def test_f33_garbage_is_asked_again_and_then_an_error(body: str | bytes) -> None:
    async with Edge(*[reply(body)] * 3, timeout_seconds=5) as edge:
        assert await edge.fail(retries=2) == "invalid_output"
        assert len(edge.server.heard) == 3
        await edge.ask()


async def test_f34_a_budget_that_was_thought_away_is_truncated_and_gets_more_room() -> None:
    cut = reply(completion(None, finish="length"))
    async with Edge(cut, cut, cut) as edge:
        assert await edge.fail(retries=2) == "truncated"
        rooms = [heard.body["max_tokens"] for heard in edge.server.heard]

    assert [room // rooms[0] for room in rooms] == [1, 2, 4]


async def test_f53_a_key_that_the_other_side_echoes_shows_in_no_error() -> None:
    async with Edge(reply(f"bad key {KEY}", 401)) as edge:
        await edge.fail()
    async with Edge(reply(completion(f"{KEY} is your key"))) as edge:
        with pytest.raises(InvalidReplyError) as failed:
            await edge.ask(retries=0)

    assert KEY not in failed.value.wrong


async def test_a_call_costs_what_the_reply_says_or_else_its_tokens() -> None:
    def usage(**more: float) -> Any:
        return {"usage": {"prompt_tokens": 1000, "completion_tokens": 500, **more}}

    async with Edge(
        reply(completion(VERDICT, **usage())),
        reply(completion(VERDICT, **usage()), x_litellm_response_cost="0.5"),
        reply(completion(VERDICT, **usage(cost=0.25)), x_litellm_response_cost="0.5"),
    ) as edge:
        costs = [(await edge.ask()).usage.cost_usd for _ in range(3)]

    assert costs == [0.002, 0.5, 0.25]


@pytest.mark.parametrize("said", ["1e308", "1000", "-1", "nan", "inf", "free"])
async def test_what_no_call_can_cost_is_no_cost(said: str) -> None:
    async with Edge(reply(completion(VERDICT), x_litellm_response_cost=said)) as edge:
        usage = (await edge.ask()).usage

    assert usage.cost_usd == pytest.approx(usage.input_tokens * 1e-6 + usage.output_tokens * 2e-6)


async def test_tokens_that_no_call_can_take_are_counted_instead() -> None:
    told = {"prompt_tokens": 10**7, "completion_tokens": 10**11}

    async with Edge(reply(completion(VERDICT, usage=told))) as edge:
        usage = (await edge.ask()).usage

    assert 0 < usage.input_tokens < 10_000
    assert 0 < usage.output_tokens < 1_000
