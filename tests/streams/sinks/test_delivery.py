"""A patient sink: what it tries again, for how long, and what it gives up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs
from tenacity.wait import wait_none

from scorers.judges.http import HttpClient
from streams.sinks.delivery import NOT_YET, Delivery
from streams.sinks.posts import phoenix
from tests.streams.sinks.sink_server import System, system
from tests.streams.telemetry.told import an_event

EVENT = an_event()
POSTS = partial(phoenix, attach_to="answer", judged_text=False)


@dataclass
class Time:
    """A clock that only sleeping moves, ten seconds at a time at least."""

    now: datetime = EVENT.scored_at
    waits: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += timedelta(seconds=max(seconds, 10))


@dataclass
class Sent:
    """What became of scores."""

    outcomes: list[str] = field(default_factory=list)

    def __call__(self, sink: str, outcome: str) -> None:
        self.outcomes.append(outcome)


@asynccontextmanager
async def to(here: System, time: Time, sent: Sent) -> AsyncIterator[Delivery]:
    client = HttpClient(timeout_seconds=5, allow_private=True)
    headers = {"authorization": SecretStr("Bearer k")}
    try:
        yield Delivery(
            "phoenix", here.url, headers, POSTS, client, lambda: time.now, sent,
            wait_none(), time.sleep,
        )  # fmt: skip
    finally:
        await client.close()


async def test_a_score_is_sent_with_the_key_and_counted() -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        await delivery.deliver(EVENT)

    assert [path for path, _ in here.taken] == ["/v1/span_annotations?sync=true"]
    assert here.keys == {"Bearer k"}
    assert sent.outcomes == ["taken"]


@pytest.mark.parametrize(
    "refusal", ["429 Slow", "500 Oops", "503 Busy", "401 Who", "403 No", "408 Slow", "302 There"]
)
async def test_what_is_the_systems_own_trouble_is_tried_again_for_as_long_as_it_takes(
    refusal: str,
) -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        here.refusals = [refusal] * 12
        await delivery.deliver(EVENT)

    assert here.asked == 13
    assert sent.outcomes == ["taken"]


async def test_the_wait_that_a_system_asks_for_is_kept() -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        here.refusals = ["429 Slow\r\nretry-after: 77"]
        await delivery.deliver(EVENT)

    assert time.waits == [77]


async def test_a_span_that_is_not_there_yet_is_waited_for_for_minutes() -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        here.refusals = ["404 Not Found"] * 10
        await delivery.deliver(EVENT)

    assert sent.outcomes == ["taken"]
    assert here.asked == 11


async def test_a_span_that_never_comes_is_given_up_when_the_score_is_old() -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        here.refusals = ["404 Not Found"] * 1000
        await delivery.deliver(EVENT)
        tries = here.asked
        await delivery.deliver(EVENT)  # as after a long outage: one try will do

    assert sent.outcomes == ["refused", "refused"]
    assert time.now - EVENT.scored_at >= NOT_YET
    assert here.asked == tries + 1


@pytest.mark.parametrize("refusal", ["400 Bad", "422 Odd", "413 Long"])
async def test_a_score_that_is_refused_for_what_it_says_is_passed_over(refusal: str) -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        here.refusals = [refusal]
        await delivery.deliver(EVENT)

    assert sent.outcomes == ["refused"]
    assert time.waits == []


async def test_what_a_system_could_never_take_is_not_sent() -> None:
    time, sent = Time(), Sent()
    async with system() as here, to(here, time, sent) as delivery:
        await delivery.deliver(an_event(trace_id="order-123"))

    assert here.asked == 0
    assert sent.outcomes == ["unsendable"]


async def test_an_outage_is_one_warning_and_its_end_one_line() -> None:
    time, sent = Time(), Sent()
    with capture_logs() as said:
        async with system() as here, to(here, time, sent) as delivery:
            here.refusals = ["503 Busy"] * 5
            await delivery.deliver(EVENT)
            await delivery.deliver(EVENT)

    assert [line["event"] for line in said] == ["sink_waits", "sink_takes_scores_again"]
    assert said[0]["cause"] == "http_503"
