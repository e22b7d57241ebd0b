"""From settings to where a process answers for itself: metrics, health, and their parts."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version

from schemas.rejection import Rejection
from streams.kafka.hosting import Host
from streams.ports import Clock, Sink, Source
from streams.scoring.events import Sampled
from streams.scoring.panel import Seat
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.meters import meters
from streams.vitals.flight import Flight
from streams.vitals.scoring import ScoreVitals
from streams.vitals.station import Station
from streams.vitals.watching import WatchVitals, well
from streams.watch.partitions import Watches
from streams.wiring import Wiring


@dataclass(frozen=True, slots=True)
class VitalsWiring:
    """Makes what measures the process of that name."""

    wiring: Wiring
    name: str

    @asynccontextmanager
    async def station(self) -> AsyncIterator[Station]:
        """Yield where the process can be asked. Raises ServeError.

        An address that nobody has set is let be where another process has it.
        """
        settings = self.wiring.settings
        serve, insists = settings.serve, "serve" in settings.model_fields_set
        made = meters(
            version=version("streamgauge"),
            instance=self.name,
            otlp=settings.telemetry.otlp,
            by_environment=self.wiring.exports_by_environment,
        )
        station = Station(made)
        async with station.open(host=serve.host, port=serve.port, insists=insists):
            yield station

    @asynccontextmanager
    async def scoring(
        self,
        station: Station,
        source: Source,
        sink: Sink,
        panel: Mapping[str, Seat],
        *,
        clock: Clock,
    ) -> AsyncIterator[Flight[Sampled | Rejection]]:
        """Yield the score half, measured while the context lasts."""
        metered = MeteredSink(sink, station.meters, station.assistants)
        half = self.wiring.scoring(source, metered, panel, clock=clock, worker=self.name)
        flight = Flight(half, lambda: station.process.tight)
        deadline = self.wiring.settings.judge.row_deadline
        async with station.over(ScoreVitals(source, sink, flight, panel, metered, deadline)):
            yield flight

    @asynccontextmanager
    async def watching(
        self, station: Station, watches: Watches, *, clock: Clock, host: Host | None = None
    ) -> AsyncIterator[None]:
        """Measure the watch half while the context lasts."""
        windows = self.wiring.settings.watch.windows
        trouble = well if host is None else lambda: host.trouble
        vitals = WatchVitals(watches, windows, station.assistants, clock, trouble)
        async with station.over(vitals):
            yield
