"""The small server: what it answers, and whom it does not wait for."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from streams.vitals.http import Page, ServeError, TakenError, serving


@asynccontextmanager
async def a_server() -> AsyncIterator[int]:
    async def hello() -> Page:
        return Page(b"hello\n")

    async with serving({"/hello": hello}, host="127.0.0.1", port=0) as address:
        yield int(address.rpartition(":")[2])


async def told(port: int, request: bytes) -> bytes:
    """Send bytes, and return all that comes back until the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await asyncio.wait_for(reader.read(), timeout=10)
    except ConnectionError:
        return b""
    finally:
        writer.close()


ANSWERS = {
    "a page": (b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n", b"200 OK"),
    "a page with a query": (b"GET /hello?a=b HTTP/1.0\r\n\r\n", b"200 OK"),
    "no such page": (b"GET /hullo HTTP/1.1\r\n\r\n", b"404 Not Found"),
    "another method": (b"POST /hello HTTP/1.1\r\nContent-Length: 1\r\n\r\nx", b"405 Method"),
    "no HTTP": (b"hello there\r\n\r\n", b"400 Bad Request"),
    "a head without end": (b"GET /hello HTTP/1.1\r\nX: " + b"x" * 20_000, b"431 Request Header"),
}


@pytest.mark.parametrize(("request_", "status"), ANSWERS.values(), ids=ANSWERS)
async def test_a_request_gets_one_answer_and_the_connection_ends(
    request_: bytes, status: bytes
) -> None:
    async with a_server() as port:
        answer = await told(port, request_)

    assert answer.startswith(b"HTTP/1.1 " + status)
    assert b"Connection: close" in answer


async def test_head_has_the_head_of_get_and_no_body() -> None:
    async with a_server() as port:
        whole = await told(port, b"GET /hello HTTP/1.1\r\n\r\n")
        head = await told(port, b"HEAD /hello HTTP/1.1\r\n\r\n")

    assert whole == head + b"hello\n"


async def test_who_says_nothing_holds_no_one_up_at_the_end() -> None:
    async with a_server() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert (await told(port, b"GET /hello HTTP/1.1\r\n\r\n")).endswith(b"hello\n")

    with suppress(ConnectionError):
        assert await asyncio.wait_for(reader.read(), timeout=2) == b""
    writer.close()


async def test_a_crowd_is_turned_away_and_the_next_one_served() -> None:
    async with a_server() as port:
        crowd = [await asyncio.open_connection("127.0.0.1", port) for _ in range(40)]
        turned_away = [
            asyncio.create_task(asyncio.wait_for(reader.read(), timeout=10)) for reader, _ in crowd
        ]
        await asyncio.wait(turned_away, return_when=asyncio.FIRST_COMPLETED)

        for _, writer in crowd:
            writer.close()
        await asyncio.gather(*turned_away, return_exceptions=True)

        assert (await told(port, b"GET /hello HTTP/1.1\r\n\r\n")).endswith(b"hello\n")


async def test_a_port_that_is_taken_is_told_from_an_address_that_is_not_ours() -> None:
    async with a_server() as port:
        way_out = f"set serve.port, or STREAMGAUGE_SERVE__PORT={port + 1} for this process"
        with pytest.raises(TakenError, match=f"127.0.0.1:{port} is in use: {way_out}"):
            async with serving({}, host="127.0.0.1", port=port):
                pass
    with pytest.raises(ServeError, match=r"192\.0\.2\.1:0 cannot be listened on"):
        async with serving({}, host="192.0.2.1", port=0):
            pass
