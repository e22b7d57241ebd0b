import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from scorers.asking.claims import extract
from scorers.contract import Answer, JudgeUnavailableError
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient

QUESTION = extract("The mill opens at ten.", row="row-1")
GOOD = '{"claims": ["The mill opens at ten."]}'


def completion(content: object = GOOD, finish: str = "stop", **fields: object) -> httpx.Response:
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return httpx.Response(200, json={"choices": [choice], **fields})


class Endpoint:
    """Answers with a function of the request's body, and keeps what was sent."""

    def __init__(self, answer: Callable[[dict[str, Any]], httpx.Response]) -> None:
        self.requests: list[httpx.Request] = []
        self.bodies: list[dict[str, Any]] = []
        self._answer = answer

    def judge(self, model: ChatModel | None = None) -> ChatJudge:
        client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(self._reply))
        chosen = model or ChatModel("http://judge.invalid/v1/", "judge-latest")
        return ChatJudge(chosen, client, stopwatch=lambda: 0.0)

    async def _reply(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        self.requests.append(request)
        self.bodies.append(body)
        await asyncio.sleep(0)  # so that calls that are made together are under way together
        return self._answer(body)


async def ask(reply: httpx.Response) -> Answer[tuple[str, ...]]:
    return await Endpoint(lambda _: reply).judge().ask(QUESTION)


async def cause(reply: httpx.Response) -> str | None:
    with pytest.raises(JudgeUnavailableError) as failed:
        await ask(reply)
    assert failed.value.usage.attempts == 1
    return failed.value.error.cause


async def test_an_answer_carries_its_cost_and_the_model_that_gave_it() -> None:
    usage = {"prompt_tokens": 812, "completion_tokens": 64}

    answer = await ask(completion(model="judge-2026-10", usage=usage))

    assert answer.value == ("The mill opens at ten.",)
    assert answer.resolved == "judge-2026-10"
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (812, 64)
    assert (answer.usage.calls, answer.usage.attempts) == (1, 1)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        7,
        {"prompt_tokens": "many", "completion_tokens": -1},
        {"prompt_tokens": 10**400, "cost": 10**400},
        {"prompt_tokens": True, "cost": "free"},
    ],
)
async def test_a_usage_that_makes_no_sense_costs_no_verdict_and_tokens_are_counted(
    usage: object,
) -> None:
    answer = await ask(completion(usage=usage))

    sent = len((answer.prompt or "").encode())
    assert answer.usage.input_tokens == pytest.approx(sent / 4, rel=0.02)
    assert answer.usage.cost_usd is None


async def test_the_request_names_model_temperature_and_shape() -> None:
    endpoint = Endpoint(lambda _: completion())

    await endpoint.judge(ChatModel("http://judge.invalid/v1", "m", seed=7)).ask(QUESTION)

    [body] = endpoint.bodies
    assert (body["model"], body["temperature"], body["seed"]) == ("m", 0.0, 7)
    assert body["response_format"]["json_schema"]["strict"] is True
    assert str(endpoint.requests[0].url) == "http://judge.invalid/v1/chat/completions"


async def test_the_key_goes_into_the_header_and_into_no_text() -> None:
    endpoint = Endpoint(lambda _: completion())
    model = ChatModel("http://judge.invalid/v1", "m", key=SecretStr("s3cret"))

    await endpoint.judge(model).ask(QUESTION)

    assert endpoint.requests[0].headers["authorization"] == "Bearer s3cret"
    assert b"s3cret" not in endpoint.requests[0].content
    assert "s3cret" not in repr(model)


def formats_of(endpoint: Endpoint) -> list[str]:
    return [body.get("response_format", {}).get("type", "plain") for body in endpoint.bodies]


@pytest.mark.parametrize("named", ["response_format", "JSON_SCHEMA"])
async def test_a_refused_format_is_no_attempt_and_is_remembered(named: str) -> None:
    def picky(body: dict[str, Any]) -> httpx.Response:
        if "response_format" in body:
            return httpx.Response(400, text=f"{named} is not supported")
        return completion()

    endpoint = Endpoint(picky)
    judge = endpoint.judge()

    first, second = await judge.ask(QUESTION), await judge.ask(QUESTION)

    assert formats_of(endpoint) == ["json_schema", "json_object", "plain", "plain"]
    assert first.usage.attempts == second.usage.attempts == 1


async def test_the_limit_of_a_reply_is_called_what_the_endpoint_calls_it() -> None:
    def picky(body: dict[str, Any]) -> httpx.Response:
        if "max_tokens" in body:
            return httpx.Response(400, text="use 'max_completion_tokens' instead")
        return completion()

    endpoint = Endpoint(picky)
    judge = endpoint.judge()

    await judge.ask(QUESTION)
    await judge.ask(QUESTION)

    assert ["max_completion_tokens" in body for body in endpoint.bodies] == [False, True, True]
    assert formats_of(endpoint) == ["json_schema"] * 3


async def test_calls_that_are_refused_together_take_one_step_and_not_several() -> None:
    def picky(body: dict[str, Any]) -> httpx.Response:
        if body.get("response_format", {}).get("type") == "json_schema":
            return httpx.Response(400, text="json_schema")
        return completion()

    endpoint = Endpoint(picky)
    judge = endpoint.judge()

    await asyncio.gather(*(judge.ask(QUESTION) for _ in range(4)))

    assert formats_of(endpoint) == ["json_schema"] * 4 + ["json_object"] * 4


async def test_a_400_that_names_no_format_is_a_failure() -> None:
    endpoint = Endpoint(lambda _: httpx.Response(400, text="the prompt is empty"))

    with pytest.raises(JudgeUnavailableError) as failed:
        await endpoint.judge().ask(QUESTION)

    assert failed.value.error.cause == "http_400"
    assert formats_of(endpoint) == ["json_schema"]


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (400, '{"error": {"code": "context_length_exceeded"}}'),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 9000"),
        (400, '{"error": {"type": "exceed_context_size_error"}}'),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "The input token count exceeds the maximum number of tokens allowed"),
        (413, "<title>413 Request Entity Too Large</title>"),
        (422, "Input is too long for requested model."),
    ],
)
async def test_a_request_over_the_window_is_refused_by_that_name_and_not_tried_again(
    status: int, said: str
) -> None:
    endpoint = Endpoint(lambda _: httpx.Response(status, text=said))

    with pytest.raises(JudgeUnavailableError) as failed:
        await endpoint.judge().ask(QUESTION)

    assert (failed.value.error.cause, failed.value.final) == ("too_long", True)


@pytest.mark.parametrize(
    "said", ["max_tokens must be at least 1", "invalid token", "message content is too vague"]
)
async def test_a_400_that_speaks_of_tokens_is_not_always_one_about_length(said: str) -> None:
    assert await cause(httpx.Response(400, text=said)) == "http_400"


async def test_a_plain_request_that_is_refused_is_a_failure_and_no_endless_loop() -> None:
    assert await cause(httpx.Response(400, text="response_format")) == "http_400"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (completion(None), "empty_response"),
        (completion(" \n"), "empty_response"),
        (completion('{"claims": [', "length"), "truncated"),
        (completion(GOOD, "length"), "truncated"),
        (completion(None, "length"), "truncated"),
        (completion("The answer claims nothing."), "invalid_output"),
        (completion([{"type": "text", "text": GOOD}]), "invalid_output"),
        (httpx.Response(200, text="<html>"), "invalid_output"),
        (httpx.Response(200, json={"error": {"message": "overloaded"}}), "invalid_output"),
        (httpx.Response(200, json={"choices": []}), "invalid_output"),
        (httpx.Response(200, json=["choices"]), "invalid_output"),
        (httpx.Response(429), "rate_limited"),
        (httpx.Response(503), "http_503"),
        (httpx.Response(401), "http_401"),
        (httpx.Response(302, headers={"location": "http://elsewhere.invalid"}), "http_302"),
    ],
)
async def test_what_is_no_answer_has_a_cause_and_a_cost(reply: httpx.Response, kind: str) -> None:
    assert await cause(reply) == kind


async def test_a_request_is_sent_in_the_order_that_it_was_built_in() -> None:
    endpoint = Endpoint(lambda _: completion())

    await endpoint.judge().ask(QUESTION)

    sent = endpoint.requests[0].content.decode()
    assert sent.index('"model"') < sent.index('"messages"') < sent.index('"max_tokens"')


def test_what_can_change_a_verdict_is_in_the_identity_and_the_address_is_not() -> None:
    client = HttpClient(timeout_seconds=5)
    one = ChatJudge(ChatModel("http://a.invalid", "m", key=SecretStr("k")), client).identity
    other = ChatJudge(ChatModel("http://b.invalid", "m"), client).identity
    warm = ChatJudge(ChatModel("http://a.invalid", "m", temperature=0.5), client).identity

    assert one == other
    assert one != warm
