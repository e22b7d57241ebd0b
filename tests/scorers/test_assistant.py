import asyncio
import json
from collections.abc import Callable

import httpx
import pytest
from pydantic import JsonValue, SecretStr
from tenacity.wait import wait_fixed, wait_none

from schemas.trace import Turn
from scorers.asking.ours import NotOursError, only_while
from scorers.assistant import Address, HttpAssistant
from scorers.contract import FreshAnswer, JudgeUnavailableError
from scorers.judges.http import HttpClient
from scorers.judges.limited import slots
from scorers.parameters import ParameterError

ASKED = (Turn(role="assistant", text="Hello."), Turn(role="user", text='When? "{query}"'))
URL = "http://assistant.invalid/ask"
Reply = Callable[[httpx.Request], httpx.Response]


def chat(content: object) -> httpx.Response:
    return httpx.Response(200, json={"choices": [{"message": {"content": content}}]})


def assistant(reply: Reply, address: Address | None = None, *, retries: int = 2) -> HttpAssistant:
    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(reply))
    return HttpAssistant(
        address or Address(URL), client, slots(5), retries=retries, back_off=wait_none()
    )


async def sent_for(address: Address) -> httpx.Request:
    requests: list[httpx.Request] = []

    def keep(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json={"out": "ten", "choices": [{"message": {"content": "x"}}]})

    await assistant(keep, address).ask(ASKED, temperature=0.7)
    return requests[0]


async def test_an_openai_compatible_endpoint_needs_nothing_but_its_address() -> None:
    request = await sent_for(Address(URL))

    assert json.loads(request.content) == {
        "messages": [
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": 'When? "{query}"'},
        ],
        "temperature": 0.7,
    }


async def test_another_request_is_filled_slot_by_slot_and_read_by_path() -> None:
    body: JsonValue = {"ask": "Q: {query}", "heat": ["{temperature}"], "stream": False}

    request = await sent_for(Address(URL, body, "out"))

    assert json.loads(request.content) == {
        "ask": 'Q: When? "{query}"',
        "heat": [0.7],
        "stream": False,
    }


async def test_every_request_is_marked_as_a_probe() -> None:
    request = await sent_for(Address(URL, key=SecretStr("s3cret")))

    assert request.headers["streamgauge-probe"] == "1"
    assert request.headers["baggage"] == "streamgauge.probe=1"
    assert request.headers["authorization"] == "Bearer s3cret"


async def cause(reply: Reply, address: Address | None = None) -> str | None:
    with pytest.raises(JudgeUnavailableError) as failed:
        await assistant(reply, address, retries=0).ask(ASKED, temperature=0)
    assert failed.value.error.kind == "sut_failed"
    return failed.value.error.cause


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (chat(" \n"), "empty_response"),
        (chat(None), "empty_response"),
        (chat(["ten"]), "invalid_output"),
        (httpx.Response(200, text="ten"), "invalid_output"),
        (httpx.Response(200, json={"choices": []}), "invalid_output"),
        (httpx.Response(200, json={"choices": "none"}), "invalid_output"),
        (httpx.Response(503), "http_503"),
        (httpx.Response(429), "rate_limited"),
    ],
)
async def test_what_is_no_answer_is_a_failure_of_the_assistant(
    reply: httpx.Response, expected: str
) -> None:
    assert await cause(lambda _: reply) == expected


async def test_a_blank_answer_is_a_failed_attempt() -> None:
    replies = [chat(""), chat("At ten.")]

    fresh = await assistant(lambda _: replies.pop(0)).ask(ASKED, temperature=0)

    assert fresh == FreshAnswer("At ten.", attempts=2)


async def test_a_call_that_waits_to_be_made_again_holds_no_slot() -> None:
    order: list[str] = []

    def reply(request: httpx.Request) -> httpx.Response:
        name = json.loads(request.content)["messages"][0]["content"]
        order.append(name)
        return httpx.Response(503) if order == ["failing"] else chat("ten")

    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(reply))
    one = HttpAssistant(Address(URL), client, slots(1), back_off=wait_fixed(0.01))

    await asyncio.gather(
        *(one.ask([Turn(role="user", text=t)], temperature=0) for t in ("failing", "good"))
    )

    assert order == ["failing", "good", "failing"]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"body": {"ask": "{question}"}}, "body"),
        ({"answer": "choices..text"}, "answer"),
        ({"answer": ""}, "answer"),
        ({"per_minute": 0}, "per_minute"),
    ],
)
def test_an_address_that_cannot_work_is_refused_by_name(
    fields: dict[str, object], name: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        Address(URL, **fields)  # type: ignore[arg-type]

    assert refused.value.name == name


def test_a_budget_out_of_range_is_refused() -> None:
    with pytest.raises(ParameterError) as refused:
        assistant(lambda _: chat("x"), retries=6)

    assert refused.value.name == "n_sut_retries"


async def test_an_attempt_about_a_row_that_has_gone_is_not_made() -> None:
    sent: list[httpx.Request] = []

    def busy(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return httpx.Response(503)

    async def ours() -> bool:
        return not sent

    with only_while(ours), pytest.raises(NotOursError):
        await assistant(busy).ask(ASKED, temperature=0)

    assert len(sent) == 1
