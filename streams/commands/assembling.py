"""`assemble`: spans to rows, and where records mix traces, cut up by trace before."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from streams.assemble.keyed import NotKeyedError
from streams.assemble.stage import Assembling
from streams.beside import beside
from streams.live import Stoppable, until_stopped, worker_name
from streams.pace import beats, now
from streams.pipeline import run
from streams.ports import Source
from streams.vitals.station import Station
from streams.wiring.assembling import AssembleWiring
from streams.wiring.broker import Wiring
from streams.wiring.vitals import VitalsWiring

LOOK_EVERY = timedelta(milliseconds=500)
"""How often traces are looked at that no span comes for."""

SAY_EVERY = timedelta(minutes=1)

DRAIN = timedelta(seconds=10)
"""How long rows may be written after a stop: what is not is read again, and has cost nothing."""

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
    vitals = VitalsWiring(wiring, worker_name())
    async with vitals.station() as station:
        host = _Host(AssembleWiring(wiring, once, now), vitals, station)
        by_parts = host.parts.splits or await host.parts.left_parts()
        if by_parts or not await host.directly():
            await host.by_way_of_parts()
    log.info("stopped")


@dataclass(frozen=True, slots=True)
class _Host:
    """Runs the stage, measured and told of."""

    parts: AssembleWiring
    vitals: VitalsWiring
    station: Station

    async def directly(self) -> bool:
        """Assemble what comes in. Returns whether its records are keyed, so that it can be."""
        keyed = True
        try:
            async with self.parts.assembling() as stage:
                await until_stopped(stage, self._measured(stage), drain=DRAIN)
        except* NotKeyedError:
            keyed = False
            topic = self.parts.topic
            log.warning("records_mix_traces", topic=topic, going_on="as with by_trace: false")
        return keyed

    async def by_way_of_parts(self) -> None:
        """Cut records up by trace, and assemble what that makes: meanwhile, or afterwards."""
        stopping = _Stopping()
        async with self.parts.splitting() as (half, source):
            stopping.parts.append(source)
            splitting = run(source, half, beats=beats(), clock=now, in_flight=IN_FLIGHT)
            if not self.parts.once:
                async with self.parts.assembling(split=True) as stage:
                    stopping.parts.append(stage)
                    assembling = self._measured(stage, before=source)
                    await until_stopped(stopping, _both(splitting, assembling), drain=DRAIN)
                return
            await until_stopped(stopping, splitting, drain=DRAIN)
        if not stopping.asked:
            async with self.parts.assembling(split=True) as stage:
                await until_stopped(stage, self._measured(stage), drain=DRAIN)

    async def _measured(self, stage: Assembling, before: Source | None = None) -> None:
        async with self.vitals.assembling(self.station, stage, before), beside(_say(stage)):
            await stage.run(beats(LOOK_EVERY))
        log.info("assembled", **stage.figures)


async def _both(*flows: Coroutine[None, None, None]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for flow in flows:
            tasks.create_task(flow)


async def _say(stage: Assembling) -> None:
    while True:
        await asyncio.sleep(SAY_EVERY.total_seconds())
        log.info("assembling", **stage.figures)
