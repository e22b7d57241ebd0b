import asyncio
from collections.abc import Iterator

import httpx
import pytest

from scorers.judges.headers import retry_after
from scorers.judges.http import CallFailedError, HttpClient, cause_of
from scorers.parameters import ParameterError


def kinds(of: type[httpx.HTTPError]) -> Iterator[type[httpx.HTTPError]]:
    yield of
    for kind in of.__subclasses__():
        yield from kinds(kind)


def an_error(kind: type[httpx.HTTPError]) -> httpx.HTTPError:
    if issubclass(kind, httpx.HTTPStatusError):
        request = httpx.Request("POST", "http://judge.invalid")
        return kind("refused", request=request, response=httpx.Response(500))
    return kind("what happened")


@pytest.mark.parametrize("kind", [*kinds(httpx.HTTPError)])
def test_every_error_of_the_library_has_a_cause(kind: type[httpx.HTTPError]) -> None:
    slow, garbled = issubclass(kind, httpx.TimeoutException), issubclass(kind, httpx.DecodingError)

    expected = "timeout" if slow else "invalid_output" if garbled else "connection"

    assert cause_of(an_error(kind)) == expected


@pytest.mark.parametrize(
    ("error", "cause"),
    [(httpx.ReadTimeout("slow"), "timeout"), (httpx.ConnectError("gone"), "connection")],
)
async def test_failures_below_http_are_named(error: httpx.HTTPError, cause: str) -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise error

    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(fail))

    with pytest.raises(CallFailedError) as failed:
        await client.post("http://judge.invalid", {}, headers={})

    assert failed.value.cause == cause


async def test_a_reply_that_never_ends_is_a_timeout() -> None:
    async def hang(request: httpx.Request) -> httpx.Response:
        await asyncio.Event().wait()
        raise AssertionError

    client = HttpClient(timeout_seconds=0.01, transport=httpx.MockTransport(hang))

    with pytest.raises(CallFailedError) as failed:
        await client.post("http://judge.invalid", {}, headers={})

    assert failed.value.cause == "timeout"


async def test_a_redirect_is_a_failure_and_is_never_followed() -> None:
    asked: list[str] = []

    def elsewhere(request: httpx.Request) -> httpx.Response:
        asked.append(str(request.url))
        return httpx.Response(307, headers={"location": "http://127.0.0.1:1/"})

    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(elsewhere))

    with pytest.raises(CallFailedError) as failed:
        await client.post("http://judge.invalid/", {}, headers={})

    assert failed.value.cause == "http_307"
    assert asked == ["http://judge.invalid/"]


async def test_text_travels_in_its_own_letters_and_in_the_order_given() -> None:
    sent: list[bytes] = []

    def keep(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        return httpx.Response(200, content=b"{}")

    client = HttpClient(timeout_seconds=5, transport=httpx.MockTransport(keep))
    await client.post("http://judge.invalid", {"z": "Mühle", "a": 1}, headers={})

    assert sent == ['{"z":"Mühle","a":1}'.encode()]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after": "1e3"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, None),
        (
            {
                "retry-after": "Thu, 01 Jan 2026 12:00:30 GMT",
                "date": "Thu, 01 Jan 2026 12:00:00 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Thu, 01 Jan 2026 12:00:00 GMT",
                "date": "Thu, 01 Jan 2026 12:00:30 GMT",
            },
            0.0,
        ),
    ],
)
def test_how_long_to_wait_is_read_in_seconds_or_as_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers) == seconds


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_timeout_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(ParameterError) as refused:
        HttpClient(timeout_seconds=seconds)

    assert refused.value.name == "timeout_seconds"


@pytest.mark.service
async def test_as_many_calls_as_expected_are_under_way_at_once() -> None:
    together = asyncio.Barrier(40)

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await together.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(meet, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        client = HttpClient(timeout_seconds=20, in_flight=40, allow_private=True)

        replies = await asyncio.gather(
            *(client.post(f"http://127.0.0.1:{port}/", {}, headers={}) for _ in range(40))
        )
        await client.close()

    assert [reply.body for reply in replies] == [b"{}"] * 40
