"""From settings to where a process answers for itself: metrics, health, and their parts."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from schemas.rejection import Rejection
from scorers.judges.observed import Hears
from streams.assemble.stage import Assembling
from streams.kafka.hosting import Host
from streams.notify.receivers import Receiver
from streams.ports import Clock, Half, Sink, Source
from streams.scoring.events import Sampled
from streams.scoring.panel import Seat
from streams.settings.load import exported_by_environment
from streams.settings.otel import SIGNALS, OtelSignal
from streams.telemetry.calls import CallMeter
from streams.telemetry.exporting import resource
from streams.telemetry.metered_sink import MeteredSink, nowhere
from streams.telemetry.meters import meters
from streams.telemetry.opening import open_outlets
from streams.telemetry.projecting import Manner, Outlets, ProjectingHalf, ProjectingSink
from streams.telemetry.signals import log_exporter, making, span_exporter
from streams.version import VERSION
from streams.vitals.assembling import AssembleVitals
from streams.vitals.flight import Flight
from streams.vitals.scoring import ScoreVitals
from streams.vitals.station import Station
from streams.vitals.watching import WatchVitals, well
from streams.watch.partitions import Watches
from streams.wiring.broker import Wiring
from streams.wiring.scoring import ScoreWiring


@dataclass(frozen=True, slots=True)
class VitalsWiring:
    """Makes what measures the process of that name."""

    wiring: Wiring
    name: str

    @property
    def exported(self) -> frozenset[OtelSignal]:
        """The signals that have somewhere to go."""
        if self.wiring.settings.telemetry.otlp is not None:
            return frozenset(SIGNALS)
        return exported_by_environment()

    @asynccontextmanager
    async def station(self) -> AsyncIterator[Station]:
        """Yield where the process can be asked. Raises ServeError.

        An address that nobody has set is let be where another process has it.
        """
        settings = self.wiring.settings
        serve, insists = settings.serve, "serve" in settings.model_fields_set
        made = meters(
            version=VERSION,
            instance=self.name,
            otlp=settings.telemetry.otlp,
            by_environment="metrics" in self.exported,
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
        """Yield the score half, measured while the context lasts, its scores told to exporters."""
        section = self.wiring.settings.telemetry
        manner = Manner(section.attach_to, section.judged_text)
        async with self._outlets(station) as outlets:
            written = sink if outlets is None else ProjectingSink(sink, outlets, manner)
            example = manner.target if "metrics" in self.exported else nowhere
            metered = MeteredSink(written, station.meters, station.assistants, example)
            scoring = ScoreWiring(self.wiring).scoring(
                source, metered, panel, clock=clock, worker=self.name
            )
            half: Half[Sampled | Rejection] = scoring
            if outlets is not None:
                system = "kafka" if self.wiring.on_kafka else "folder"
                half = ProjectingHalf(half, outlets, system, self.wiring.settings.kafka.group)
            flight = Flight(half, lambda: station.process.tight)
            deadline = self.wiring.settings.judge.row_deadline
            vitals = ScoreVitals(source, sink, flight, panel, scoring.throttle, metered, deadline)
            async with station.over(vitals):
                yield flight

    @asynccontextmanager
    async def _outlets(self, station: Station) -> AsyncIterator[Outlets | None]:
        """Yield where signals of rows go; None where nobody listens, and then nothing is made."""
        exported, otlp = self.exported, self.wiring.settings.telemetry.otlp
        if not exported & {"traces", "logs"}:
            yield None
            return
        made = making(resource(version=VERSION, instance=self.name), version=VERSION)
        spans = span_exporter(otlp) if "traces" in exported else None
        logs = log_exporter(otlp) if "logs" in exported else None
        async with open_outlets(made, station.meters, spans=spans, logs=logs) as opened:
            yield opened

    def hears(self, station: Station) -> Hears:
        """Return what counts the requests to models."""
        return CallMeter(station.meters)

    @asynccontextmanager
    async def assembling(
        self, station: Station, stage: Assembling, before: Source | None = None
    ) -> AsyncIterator[None]:
        """Measure the stage that makes rows of spans while the context lasts."""
        vitals = AssembleVitals(stage, station.meters, before)
        try:
            async with station.over(vitals):
                yield
        finally:
            vitals.tell()  # counted since gauges were read, and not told otherwise

    @asynccontextmanager
    async def watching(
        self,
        station: Station,
        watches: Watches,
        receivers: Sequence[Receiver],
        *,
        clock: Clock,
        host: Host | None = None,
    ) -> AsyncIterator[None]:
        """Measure the watch half, and how those take it who are told, while the context lasts."""
        windows = self.wiring.settings.watch.windows
        trouble = well if host is None else lambda: host.trouble
        vitals = WatchVitals(watches, windows, station.assistants, clock, trouble, receivers)
        async with station.over(vitals):
            yield
