"""What `assemble` does: spans to rows, and where records mix traces, cut up by trace before."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from streams.assemble.keyed import NotKeyedError
from streams.assemble.stage import Assembling
from streams.console.reporting import beside
from streams.live import Stoppable, until_stopped
from streams.pace import beats, now
from streams.pipeline import run
from streams.wiring.assembling import AssembleWiring
from streams.wiring.broker import Wiring

LOOK_EVERY = timedelta(milliseconds=500)
"""How often traces are looked at that no span comes for."""

SAY_EVERY = timedelta(minutes=1)

IN_FLIGHT = 500
"""Records whose parts are being written at one time: a batch."""

log = structlog.get_logger()


@dataclass(slots=True)
class _Stopping:
    """What is to be stopped as one, and whether it was."""

    parts: list[Stoppable] = field(default_factory=list)
    asked: bool = False

    def stop(self) -> None:
        """End soon."""
        self.asked = True
        for part in self.parts:
            part.stop()


async def assemble(wiring: Wiring, *, once: bool) -> None:
    """Make rows of spans, until stopped (or, with `once`, to the topic's end)."""
    parts = AssembleWiring(wiring, once, now)
    if parts.splits or not await _directly(parts):
        await _by_way_of_parts(parts)
    log.info("stopped")


async def _directly(parts: AssembleWiring) -> bool:
    """Assemble what comes in. Returns whether its records are keyed, so that this can be done."""
    keyed = True
    try:
        async with parts.assembling() as stage:
            await until_stopped(stage, _told(stage))
    except* NotKeyedError:
        keyed = False
        topic = parts.wiring.settings.assemble.topic
        log.warning("records_mix_traces", topic=topic, going_on="as with assemble.by_trace: false")
    return keyed


async def _by_way_of_parts(parts: AssembleWiring) -> None:
    """Cut records up by trace, and assemble what that makes: at once, or one after the other."""
    stopping = _Stopping()
    async with parts.splitting() as (half, source):
        stopping.parts.append(source)
        splitting = run(source, half, beats=beats(), clock=now, in_flight=IN_FLIGHT)
        if not parts.once:
            async with parts.assembling(split=True) as stage:
                stopping.parts.append(stage)
                await until_stopped(stopping, _both(splitting, _told(stage)))
            return
        await until_stopped(stopping, splitting)
    if not stopping.asked:
        async with parts.assembling(split=True) as stage:
            await until_stopped(stage, _told(stage))


async def _both(*flows: Coroutine[None, None, None]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for flow in flows:
            tasks.create_task(flow)


async def _told(stage: Assembling) -> None:
    """Run the stage, and say in the log what became of spans, traces and rows."""
    async with beside(_say(stage)):
        await stage.run(beats(LOOK_EVERY))
    log.info("assembled", **stage.figures)


async def _say(stage: Assembling) -> None:
    while True:
        await asyncio.sleep(SAY_EVERY.total_seconds())
        log.info("assembling", **stage.figures)
