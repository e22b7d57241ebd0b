"""Connections that hang, break, or lead elsewhere (F31, F32, F35, F36)."""

import asyncio
import time

import pytest

from scorers.contract import (
    JudgeUnavailableError,
)
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient
from tests.judge_server import (
    Play,
    a_byte_at_a_time,
    completion,
    endless,
    half_headers,
    hang,
    long,
    reply,
    reset,
    short,
)
from tests.scorers.judges.edge.endpoint import VERDICT, Edge, about, cause_at

pytestmark = pytest.mark.service


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
