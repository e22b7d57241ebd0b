"""Receivers that are down, slow, hostile or private (F51, F52): the alert stays due."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
import structlog
from pydantic import SecretStr

from scorers.judges.http import HttpClient
from streams.links import Links
from streams.notify.desk import Due
from streams.notify.receivers import Receiver
from tests.streams.notify.alerts import NOON, an_alert
from tests.streams.notify.hook_server import hook_server

CLOSED = b"content-length: 0\r\nconnection: close\r\n\r\n"
REFUSALS = {
    "down": (b"HTTP/1.1 503 No\r\n" + CLOSED, "http_503"),
    "slow": (b"", "timeout"),
    "redirecting": (
        b"HTTP/1.1 302 There\r\nlocation: http://127.0.0.1:1/\r\n" + CLOSED,
        "http_302",
    ),
    "endless": (b"HTTP/1.1 200 OK\r\n\r\n~", "invalid_output"),
    "rude": (b"not http at all\r\n\r\n", "connection"),
}


@asynccontextmanager
async def receiver(url: str, *, allow_private: bool = True) -> AsyncIterator[Receiver]:
    client = HttpClient(timeout_seconds=1, allow_private=allow_private)
    yield Receiver("ops", "webhook", SecretStr(url), client, timedelta(hours=4), Links())
    await client.close()


@pytest.mark.parametrize("name", REFUSALS)
async def test_a_receiver_that_fails_is_named_and_waited_for(name: str) -> None:
    answer, cause = REFUSALS[name]
    async with hook_server() as hooks, receiver(hooks.url) as ops:
        hooks.refusals.append(answer)

        with structlog.testing.capture_logs() as logs:
            taken = await ops.tell(Due(an_alert()), now=NOON)

    assert not taken
    assert not ops.ready
    assert [(log["receiver"], log["cause"]) for log in logs] == [("ops", cause)]
    assert hooks.bodies == []


async def test_one_that_takes_it_after_all_is_ready_for_more() -> None:
    async with hook_server() as hooks, receiver(hooks.url) as ops:
        hooks.refusals.append(b"HTTP/1.1 503 No\r\n" + CLOSED)

        first = await ops.tell(Due(an_alert()), now=NOON)
        failing = ops.failing
        second = await ops.tell(Due(an_alert()), now=NOON)
        after = ops.failing

    assert (first, failing, second, after) == (False, 1, True, 0)


async def test_an_alert_that_is_refused_for_what_it_says_holds_up_no_other() -> None:
    others = an_alert().model_copy(update={"alert_id": "other"})
    async with hook_server() as hooks, receiver(hooks.url) as ops:
        hooks.refusals.append(b"HTTP/1.1 400 What?\r\n" + CLOSED)

        refused = await ops.tell(Due(an_alert()), now=NOON)
        other = await ops.tell(Due(others), now=NOON)
        again = await ops.tell(Due(an_alert()), now=NOON)
        failing = ops.failing

    assert (refused, other, again, failing) == (False, True, False, 1)
    assert ops.ready
    assert [body["alerts"][0]["annotations"]["alert_id"] for body in hooks.bodies] == ["other"]


async def test_a_receiver_that_asks_for_time_gets_it() -> None:
    answer = b"HTTP/1.1 429 Later\r\nretry-after: 120\r\n" + CLOSED
    async with hook_server() as hooks, receiver(hooks.url) as ops:
        hooks.refusals.append(answer)

        await ops.tell(Due(an_alert()), now=NOON)

        assert 110 < ops.wait_seconds <= 120


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "10.0.0.1"]
)
async def test_a_private_address_is_refused_before_anything_is_sent(host: str) -> None:
    async with hook_server() as hooks:
        port = hooks.url.rsplit(":", 1)[1]
        async with receiver(f"http://{host}:{port}", allow_private=False) as ops:
            with structlog.testing.capture_logs() as logs:
                taken = await ops.tell(Due(an_alert()), now=NOON)

    assert not taken
    assert [log["cause"].partition(":")[0] for log in logs] == ["private_address"]
    assert hooks.bodies == []
