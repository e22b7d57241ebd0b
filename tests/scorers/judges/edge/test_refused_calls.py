"""Calls that are refused: asked again or not, and when (F27 to F30)."""

import asyncio
import time

import pytest

from scorers.contract import (
    JudgeUnavailableError,
)
from tests.judge_server import (
    Play,
    reply,
)
from tests.scorers.judges.edge.endpoint import Edge, about

pytestmark = pytest.mark.service
NOW = "Thu, 01 Jan 2026 12:00:00 GMT"
IN_ONE_SECOND = "Thu, 01 Jan 2026 12:00:01 GMT"
IN_TEN_MINUTES = "Thu, 01 Jan 2026 12:10:00 GMT"


def limited(after: str) -> Play:
    return reply("{}", 429, retry_after=after, date=NOW)


REFUSALS = [
    reply("{}", 429),
    reply("{}", 429, retry_after=IN_TEN_MINUTES),  # a date that nothing tells the distance of
    *map(limited, ["0", "0.01", "garbage", "-5", "1e3", "Thu, 01 Jan 1970 00:00:00 GMT"]),
]


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_f27_a_refused_call_is_asked_again_whatever_the_header_says(refusal: Play) -> None:
    async with Edge(refusal) as edge:
        began = time.monotonic()
        answer = await edge.ask()

    assert answer.usage.attempts == 2
    assert time.monotonic() - began < 0.9


@pytest.mark.parametrize("after", ["1", "0.9", IN_ONE_SECOND])
async def test_f27_the_wait_that_is_asked_for_holds_no_slot(after: str) -> None:
    async with Edge(limited(after), in_flight=1) as edge:
        waiting = asyncio.create_task(edge.ask())
        await asyncio.sleep(0.1)
        began = time.monotonic()
        await edge.ask()
        quick = time.monotonic() - began
        await waiting

    assert quick < 0.5
    assert time.monotonic() - began > 0.5


@pytest.mark.parametrize("after", ["600", "600.5", "9" * 400, IN_TEN_MINUTES])
async def test_f27_a_wait_beyond_the_rows_deadline_is_not_begun(after: str) -> None:
    async with Edge(limited(after)) as edge:
        began = time.monotonic()
        cause = await edge.fail(retries=2)

    assert cause == "rate_limited"
    assert time.monotonic() - began < 0.5
    assert len(edge.server.heard) == 1


async def test_f27_many_refusals_lower_what_is_under_way_and_answers_raise_it_again() -> None:
    async with Edge(*[reply("{}", 429)] * 11) as edge:
        judge = edge.judge(retries=0)
        for _ in range(11):
            with pytest.raises(JudgeUnavailableError):
                await judge.ask(about())
        fallen = edge.limits.concurrency.allowed
        await asyncio.gather(*(judge.ask(about()) for _ in range(8)))

    assert (fallen, edge.server.most) == (2, 3)
    assert edge.limits.concurrency.allowed == 4


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504, 529])
async def test_f28_what_may_go_better_is_asked_again(status: int) -> None:
    async with Edge(reply("busy", status), reply("busy", status)) as edge:
        assert (await edge.ask()).usage.attempts == 3


@pytest.mark.parametrize("status", [400, 404, 413, 422, 501])
async def test_f29_what_is_refused_is_asked_once(status: int) -> None:
    async with Edge(*[reply("no", status)] * 3) as edge:
        assert await edge.fail(retries=2) == f"http_{status}"
        assert len(edge.server.heard) == 1


@pytest.mark.parametrize(
    ("status", "body"), [(401, "no"), (403, "no"), (429, '{"code": "insufficient_quota"}')]
)
async def test_f30_a_refused_key_or_a_spent_quota_opens_the_breaker(status: int, body: str) -> None:
    async with Edge(*[reply(body, status)] * 3) as edge:
        for _ in range(3):
            await edge.fail()
        opened = edge.limits.breaker.open
        await edge.ask()

    assert opened
    assert not edge.limits.breaker.open
