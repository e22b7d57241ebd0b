"""Where a running process can be asked how it is: its metrics, whether it lives, if it is ready."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from typing import NoReturn

import structlog

from streams.beside import beside
from streams.telemetry.capped import MOST_ASSISTANTS, Capped
from streams.telemetry.meters import EXPOSITION, Meters
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from streams.vitals.http import Page, TakenError, serving
from streams.vitals.part import Part
from streams.vitals.process import Process

EVERY = timedelta(seconds=10)
"""How often the gauges are read: who collects in between sees the same figures."""

_LOST = "/metrics, /healthz and /readyz of this process; all else works as ever"

log = structlog.get_logger()


@dataclass(slots=True)
class Station:
    """Reads the gauges of its parts, and answers for them."""

    meters: Meters
    assistants: Capped = field(default_factory=lambda: Capped(MOST_ASSISTANTS))
    process: Process = field(init=False)
    _parts: tuple[Part, ...] = ()

    def __post_init__(self) -> None:
        self.process = Process(assistants=self.assistants)

    @asynccontextmanager
    async def open(self, *, host: str, port: int, insists: bool) -> AsyncIterator[None]:
        """Serve /metrics, /healthz and /readyz, and send what is left of metrics at the end.

        Where the port is in use, `insists` raises TakenError; else nothing is served, and a line
        in the log says so: two processes on one machine must not need to be told of each other.
        """
        pages = {"/metrics": self._metrics, "/healthz": self._health, "/readyz": self._readiness}
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.meters.close)
            try:
                address = await stack.enter_async_context(serving(pages, host=host, port=port))
                log.info("serving", at=f"http://{address}/metrics")
            except TakenError as error:
                if insists:
                    raise
                log.warning("not_serving", reason=str(error), lost=_LOST)
            yield

    @asynccontextmanager
    async def over(self, *parts: Part) -> AsyncIterator[None]:
        """Answer for the parts while they work. Raises MemoryFullError where memory runs out."""
        self._parts = (self.process, *parts)
        try:
            async with beside(self.process.keep()), beside(self._keep()):
                yield
        finally:
            self._parts = ()

    async def _keep(self) -> NoReturn:
        while True:
            await self.look()
            await asyncio.sleep(EVERY.total_seconds())

    async def look(self) -> None:
        """Read all gauges, and let others run between one and the next."""
        samples: list[Sample] = []
        for part in self._parts:
            for sample in part.samples():
                samples.append(sample)
                await asyncio.sleep(0)
        samples.append(Sample(Metric.READY, not self._unready()))
        self.meters.show(samples)

    async def _metrics(self) -> Page:
        return Page(await self.meters.exposition(), kind=EXPOSITION)

    async def _health(self) -> Page:
        return _account(why for part in self._parts for why in part.dead())

    async def _readiness(self) -> Page:
        return _account(self._unready())

    def _unready(self) -> list[str]:
        if not self._parts:
            return ["it starts or stops"]
        return [why for part in self._parts for why in part.unready()]


def _account(wrong: Iterable[str]) -> Page:
    if found := list(wrong):
        return Page("".join(f"{why}\n" for why in found).encode(), HTTPStatus.SERVICE_UNAVAILABLE)
    return Page(b"ok\n")
