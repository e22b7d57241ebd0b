"""Opens the ways out that somebody listens at, and closes them within their budget."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import get_args

from opentelemetry.sdk._logs.export import LogRecordExporter
from opentelemetry.sdk.trace.export import SpanExporter

from streams.telemetry.meters import Meters
from streams.telemetry.metrics import Metric
from streams.telemetry.outlet import BUDGET, Outlet, Why
from streams.telemetry.projecting import Outlets
from streams.telemetry.signals import Logs, Making, Spans


@asynccontextmanager
async def open_outlets(
    making: Making,
    meters: Meters,
    *,
    spans: SpanExporter | None,
    logs: LogRecordExporter | None,
    budget: timedelta = BUDGET,
) -> AsyncIterator[Outlets]:
    """Yield a way out for each exporter. Whatever hangs, the way back takes the budget at most."""
    opened = Outlets(
        None if spans is None else Outlet("span", Spans(making, spans), _counted(meters, "span")),
        None if logs is None else Outlet("log", Logs(making, logs), _counted(meters, "log")),
    )
    try:
        yield opened
    finally:
        async with asyncio.TaskGroup() as tasks:
            for one in (opened.spans, opened.logs):
                if one is not None:
                    tasks.create_task(one.close(budget))


def _counted(meters: Meters, signal: str) -> Callable[[Why, int], None]:
    def lost(why: Why, count: int) -> None:
        meters.add(Metric.LOST, count, {"signal": signal, "reason": why})

    for why in get_args(Why):
        meters.add(Metric.LOST, 0, {"signal": signal, "reason": why})
    return lost
