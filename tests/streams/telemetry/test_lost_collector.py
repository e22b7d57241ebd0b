"""A collector that hangs, refuses or is not there: it costs signals, all counted, and no time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

import pytest

from streams.telemetry.evaluations import Evaluation
from streams.telemetry.meters import Meters
from streams.telemetry.metrics import Metric
from streams.telemetry.opening import open_outlets
from streams.telemetry.outlet import ROOM, Outlet
from streams.telemetry.signals import Told, log_exporter, span_exporter
from tests.kafka.proxy import free_port
from tests.streams.telemetry.collector import collector
from tests.streams.telemetry.exposed import some_meters, values
from tests.streams.telemetry.told import a_making, an_evaluation

MANY, BUDGET = ROOM + 1_000, timedelta(seconds=0.5)


@asynccontextmanager
async def gone() -> AsyncIterator[str]:
    yield f"http://127.0.0.1:{free_port()}"


@asynccontextmanager
async def hanging() -> AsyncIterator[str]:
    async with collector(answers=False) as (url, _):
        yield url


@asynccontextmanager
async def refusing() -> AsyncIterator[str]:
    async with collector(status="503 Service Unavailable") as (url, _):
        yield url


@asynccontextmanager
async def forbidding() -> AsyncIterator[str]:
    async with collector(status="401 Unauthorized") as (url, _):
        yield url


@asynccontextmanager
async def told(url: str, made: Meters) -> AsyncIterator[tuple[Outlet[Told], Outlet[Evaluation]]]:
    """Yield the two ways out to a collector."""
    spans, logs = span_exporter(url), log_exporter(url)
    async with open_outlets(a_making(), made, spans=spans, logs=logs, budget=BUDGET) as opened:
        assert opened.spans is not None
        assert opened.logs is not None
        yield opened.spans, opened.logs


@pytest.mark.parametrize("bad", [gone, hanging, refusing, forbidding])
async def test_everything_is_lost_and_counted_and_the_farewell_keeps_its_budget(
    bad: Callable[[], AbstractAsyncContextManager[str]],
) -> None:
    made, one, clock = some_meters(), an_evaluation(), asyncio.get_running_loop().time
    async with bad() as url:
        async with told(url, made) as (spans, logs):
            began = clock()
            for _ in range(MANY):
                spans.put(lambda: (one, None))
                logs.put(lambda: one)
            took, began = clock() - began, clock()
        left = clock() - began

    assert took < 2
    assert left < BUDGET.total_seconds() + 1
    lost = await values(made, Metric.LOST)
    for signal in ("span", "log"):
        by_reason = {dict(at)["reason"]: n for at, n in lost.items() if ("signal", signal) in at}
        assert by_reason["queue_full"] > 0
        assert sum(by_reason.values()) == MANY


async def test_a_collector_that_is_well_gets_everything() -> None:
    made, one = some_meters(), an_evaluation()
    async with collector() as (url, taken), told(url, made) as (spans, logs):
        spans.put(lambda: (one, None))
        logs.put(lambda: one)
        await spans.close()
        await logs.close()

    assert {path for path, _ in taken} == {"/v1/traces", "/v1/logs"}
    assert not any((await values(made, Metric.LOST)).values())
