"""What `score` does beside the scoring: scores sent to other systems, late without harm."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

import structlog

from streams.beside import beside
from streams.pace import beats, now
from streams.pipeline import run
from streams.sinks.delivery import Delivery
from streams.sinks.sending import Sending
from streams.telemetry.meters import Meters
from streams.wiring.broker import Wiring
from streams.wiring.sinks import SinkWiring

UNDER_WAY = 256
"""Scores that are sent, or wait for their span to arrive, at one time."""

TO_THE_END = timedelta(seconds=40)
"""How long a run that ends waits for sinks: what is left they get the next time."""

log = structlog.get_logger()


@asynccontextmanager
async def sending(wiring: Wiring, meters: Meters, *, once: bool) -> AsyncIterator[None]:
    """Send while the context lasts; with `once`, after it and to the end of the topic.

    Raises SettingsError where a key is missing.
    """
    parts = SinkWiring(wiring)
    async with parts.deliveries(meters, clock=now) as deliveries:
        if not once:
            async with beside(_send(parts, deliveries)):
                yield
            return
        yield
        try:
            async with asyncio.timeout(TO_THE_END.total_seconds()):
                await _send(parts, deliveries, end_at_end=True)
        except TimeoutError:
            log.warning("sinks_left_behind", way_out="the next run goes on where they are")


async def _send(
    parts: SinkWiring, deliveries: Sequence[Delivery], *, end_at_end: bool = False
) -> None:
    async with asyncio.TaskGroup() as tasks:
        for delivery in deliveries:
            tasks.create_task(_send_to(parts, delivery, end_at_end=end_at_end))


async def _send_to(parts: SinkWiring, delivery: Delivery, *, end_at_end: bool) -> None:
    async with parts.source(delivery.name, clock=now, end_at_end=end_at_end) as source:
        half = Sending(source, delivery)
        await run(source, half, beats=beats(), clock=now, in_flight=UNDER_WAY)
