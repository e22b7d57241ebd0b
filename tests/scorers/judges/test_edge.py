"""What an endpoint can do to a judge, over real sockets: scenarios F27 to F36 and F53."""

import asyncio
import json
import time
from typing import Any

import pytest
from pydantic import SecretStr
from tenacity.wait import wait_none

from scorers.asking.verdicts import verify
from scorers.contract import (
    Answer,
    InvalidReplyError,
    Judge,
    Judgement,
    JudgeUnavailableError,
)
from scorers.judges.bounded import BoundedJudge, Limits
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.concurrency import Concurrency
from scorers.judges.http import MAX_BYTES, HttpClient
from scorers.judges.pricing import Price
from scorers.judges.retrying import RetryingJudge
from scorers.questions import Evidence, Question, VerifyClaims
from tests.judge_server import (
    Heard,
    JudgeServer,
    Play,
    a_byte_at_a_time,
    agree,
    completion,
    endless,
    half_headers,
    hang,
    long,
    reply,
    reset,
    short,
)

pytestmark = pytest.mark.service

KEY = "sk-not-for-anyone"


def about(row: str = "r") -> Question[tuple[Judgement, ...]]:
    evidence = (Evidence("1", "The mill opens at ten."),)
    return verify(VerifyClaims(("The mill opens at ten.",), evidence), row=row)


class Edge:
    """A judge at a server that plays so, with everything around it that production has."""

    def __init__(self, *plays: Play, in_flight: int = 4, timeout_seconds: float = 0.5) -> None:
        def good(heard: Heard) -> Play:
            return reply(agree(heard), after=0.01)

        left = list(plays)
        self.server = JudgeServer(lambda heard: left.pop(0) if left else good(heard))
        self.limits = Limits(Concurrency(in_flight))
        self._timeout_seconds = timeout_seconds
        self.client: HttpClient

    async def __aenter__(self) -> "Edge":
        await self.server.__aenter__()
        self.client = HttpClient(
            timeout_seconds=self._timeout_seconds, in_flight=4, allow_private=True
        )
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.client.close()
        await self.server.__aexit__(None, None, None)

    def judge(self, *, retries: int = 2, patience_seconds: float = 5) -> Judge:
        model = ChatModel(self.server.url, "m", SecretStr(KEY), price=Price(1.0, 2.0))
        bounded = BoundedJudge(ChatJudge(model, self.client), self.limits)
        return RetryingJudge(
            bounded, retries, back_off=wait_none(), patience_seconds=patience_seconds
        )

    async def ask(self, *, retries: int = 2) -> Answer[tuple[Judgement, ...]]:
        return await self.judge(retries=retries).ask(about())

    async def fail(self, *, retries: int = 0) -> str | None:
        with pytest.raises(JudgeUnavailableError) as failed:
            await self.ask(retries=retries)
        assert KEY not in f"{failed.value!r} {failed.value.__cause__!r}"
        assert self.limits.slots.taken == 0
        return failed.value.error.cause


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


@pytest.mark.parametrize("play", [hang, half_headers, a_byte_at_a_time])
async def test_f31_a_reply_that_does_not_come_to_an_end_is_a_timeout(play: Play) -> None:
    async with Edge(play) as edge:
        began = time.monotonic()
        assert await edge.fail() == "timeout"
        assert time.monotonic() - began < 1.5
        await edge.ask()


async def test_f31_a_reply_without_an_end_is_given_up_at_the_most_that_is_read() -> None:
    async with Edge(endless, timeout_seconds=10) as edge:
        assert await edge.fail() == "invalid_output"
        await edge.ask()


async def test_f32_a_broken_connection_is_taken_up_again() -> None:
    async with Edge(reset, reset) as edge:
        assert (await edge.ask()).usage.attempts == 3


async def test_f32_a_closed_keep_alive_connection_costs_nothing() -> None:
    async with Edge() as edge:
        for _ in range(3):
            await edge.ask()
            edge.server.hang_up()
            await asyncio.sleep(0.05)

    assert edge.server.connections == 3


async def test_f32_a_body_that_breaks_off_is_a_connection_that_failed() -> None:
    async with Edge(*[short(completion(VERDICT), by=9)] * 2) as edge:
        assert await edge.fail() == "connection"
        assert (await edge.ask()).usage.attempts == 2


async def test_f32_what_comes_after_the_end_of_a_body_is_nobodys_answer() -> None:
    async with Edge(
        long(completion(VERDICT), by=9), long(completion(VERDICT) + "{}", by=2)
    ) as edge:
        assert await edge.fail() == "invalid_output"
        for _ in range(3):
            answer = await edge.ask()
            assert [one.verdict for one in answer.value] == ["yes"]


async def test_f32_plain_text_where_tls_should_be_is_a_connection_that_failed() -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 This is no TLS\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await cause_at(f"https://127.0.0.1:{port}/v1") == "connection"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://no-such-host.invalid/v1"])
async def test_f32_nobody_there_or_no_such_name_is_a_connection_that_failed(url: str) -> None:
    assert await cause_at(url) == "connection"


async def cause_at(url: str) -> str | None:
    client = HttpClient(timeout_seconds=5, allow_private=True)
    try:
        with pytest.raises(JudgeUnavailableError) as failed:
            await ChatJudge(ChatModel(url, "m"), client).ask(about())
    finally:
        await client.close()
    return failed.value.error.cause


VERDICT = '{"verdicts": [{"id": 1, "verdict": "yes"}]}'
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


async def test_f35_calls_cancelled_while_they_connect_leave_no_slot_and_a_client_that_works() -> (
    None
):
    async with Edge() as edge:
        for _ in range(20):
            asked = [asyncio.create_task(edge.ask()) for _ in range(20)]
            await asyncio.sleep(0.002)
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        assert edge.limits.slots.taken == 0
        for _ in range(8):
            await edge.ask()


@pytest.mark.parametrize(
    "location", ["http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "/elsewhere"]
)
async def test_f36_a_redirect_leads_nowhere(location: str) -> None:
    async with Edge(reply("", 307, location=location)) as edge:
        assert await edge.fail() == "http_307"
        assert len(edge.server.heard) == 1


async def test_f36_a_private_address_is_not_connected_to_unless_allowed() -> None:
    async with Edge() as edge:
        client = HttpClient(timeout_seconds=5)
        with pytest.raises(JudgeUnavailableError) as failed:
            await ChatJudge(ChatModel(edge.server.url, "m"), client).ask(about())
        await client.close()

    assert failed.value.error.cause == "private_address"
    assert (failed.value.concerns_all, edge.server.connections) == (True, 0)


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
