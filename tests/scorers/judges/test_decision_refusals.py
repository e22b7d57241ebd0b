"""What the decisions judge makes of refusals and broken replies."""

from dataclasses import replace

import httpx
import pytest

from scorers.contract import JudgeUnavailableError
from scorers.judges.decision_client import DecisionsModel
from scorers.judges.fitting import Room
from tests.scorers.judges.deciding_endpoint import MODEL, Endpoint, Script, claims


async def cause_of(*script: Script, model: DecisionsModel = MODEL) -> tuple[str | None, int]:
    endpoint = Endpoint(*script, model=model)
    with pytest.raises(JudgeUnavailableError) as failed:
        await endpoint.ask(claims("a b c"))
    return failed.value.error.cause, len(endpoint.bodies)


def saying(status: int, body: object) -> Script:
    return lambda _: httpx.Response(status, json=body)


@pytest.mark.parametrize("status", [400, 413, 422])
async def test_a_refusal_that_names_the_length_is_final(status: int) -> None:
    said = {"error": {"type": "exceed_context_size_error", "message": "too many tokens"}}

    assert await cause_of(saying(status, said)) == ("truncated", 1)


async def test_a_refusal_that_only_speaks_of_tokens_is_no_length() -> None:
    cause, _ = await cause_of(saying(400, {"error": "unexpected token in a long body"}))

    assert cause == "http_400"


async def test_a_reply_that_admits_to_have_cut_the_text_is_final() -> None:
    said = {"answers": {"c0": {"noul": 1}}, "usage": {"truncated": True}}

    assert await cause_of(saying(200, said)) == ("truncated", 1)


async def test_a_text_that_cannot_fit_is_never_sent() -> None:
    assert await cause_of(model=replace(MODEL, room=Room(context_tokens=20))) == ("truncated", 0)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 501])
async def test_other_refusals_are_named_and_asked_once(status: int) -> None:
    assert await cause_of(saying(status, {"error": "no"})) == (f"http_{status}", 1)


@pytest.mark.parametrize("status", [429, 529])
async def test_too_many_requests_are_asked_again(status: int) -> None:
    assert await cause_of(*[saying(status, {})] * 3) == ("rate_limited", 3)


async def test_broken_probabilities_are_asked_again_and_then_an_error() -> None:
    broken = saying(200, {"answers": {"c0": {"choice": "supported", "probabilities": {}}}})

    assert await cause_of(broken, broken, broken) == ("invalid_output", 3)
