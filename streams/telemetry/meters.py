"""The instruments, one for each metric of the table, and the ways out: OTLP and Prometheus's text.

Nothing waits here. Counters are plain sums, since an instrument of the SDK takes 15 us for what a
row does a dozen times; they and the gauges, the last samples that were shown, are read whenever
somebody collects, on whatever thread.
"""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.metrics import CallbackOptions, Histogram, Meter, Observation
from opentelemetry.sdk.metrics import Histogram as SdkHistogram
from opentelemetry.sdk.metrics import MeterProvider, ObservableCounter, ObservableGauge
from opentelemetry.sdk.metrics.export import (
    CardinalityLimits,
    MetricReader,
    PeriodicExportingMetricReader,
)
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

from streams.telemetry.contexts import context_of
from streams.telemetry.conventions import SCHEMA_URL, SCOPE
from streams.telemetry.exporting import ANSWER, endpoint, resource
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import NO_ATTRIBUTES, Sample
from streams.telemetry.targets import Target

EXPOSITION = CONTENT_TYPE_LATEST
"""What kind of text `exposition` returns."""

EXPORT_EVERY = timedelta(seconds=30)
"""How often metrics are sent; OTEL_METRIC_EXPORT_INTERVAL is not looked at."""

_SERIES = 10_000
"""A last bound for each instrument. Ours lie below: the SDK's own (2,000) cuts without a name."""
_LIMITS: CardinalityLimits = dict.fromkeys(
    (ObservableCounter, SdkHistogram, ObservableGauge), _SERIES
)

_Items = tuple[tuple[str, str], ...]
"""Attributes in the order in which they are always given."""


@dataclass(slots=True)
class Meters:
    """Takes measurements, and hands them to whoever reads."""

    provider: MeterProvider
    registry: CollectorRegistry
    answer: timedelta = ANSWER
    """How long the farewell may take."""
    _sums: dict[Metric, dict[_Items, float]] = field(default_factory=dict)
    _histograms: dict[Metric, Histogram] = field(default_factory=dict)
    _shown: Mapping[Metric, Sequence[Observation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        meter = self.provider.get_meter(SCOPE, schema_url=SCHEMA_URL)
        for metric in Metric:
            self._open(meter, metric)

    def _open(self, meter: Meter, metric: Metric) -> None:
        name, unit, kind, _, says, buckets = metric.value
        if kind == "counter":
            sums = self._sums[metric] = {}
            meter.create_observable_counter(name, [_summed(sums)], unit, says)
        elif kind == "histogram":
            self._histograms[metric] = meter.create_histogram(
                name, unit, says, explicit_bucket_boundaries_advisory=buckets
            )
        else:
            meter.create_observable_gauge(name, [self._reader(metric)], unit, says)

    def _reader(self, metric: Metric) -> Callable[[CallbackOptions], Iterator[Observation]]:
        def read(options: CallbackOptions) -> Iterator[Observation]:
            yield from self._shown.get(metric, ())

        return read

    def add(
        self, metric: Metric, amount: float, attributes: Mapping[str, str] = NO_ATTRIBUTES
    ) -> None:
        """Add to a counter. It is there from the first time on, be it with 0."""
        sums, items = self._sums[metric], tuple(attributes.items())
        sums[items] = sums.get(items, 0.0) + amount

    def total(self, metric: Metric) -> Mapping[_Items, float]:
        """Return what a counter has come to, by its attributes."""
        return dict(self._sums[metric])

    def record(
        self,
        metric: Metric,
        value: float,
        attributes: Mapping[str, str] = NO_ATTRIBUTES,
        *,
        exemplar: Target | None = None,
    ) -> None:
        """Enter a value in a histogram, with the span of production that is an example of it."""
        context = context_of(exemplar) if exemplar is not None else None
        self._histograms[metric].record(value, attributes, context)

    def show(self, samples: Iterable[Sample]) -> None:
        """Let the gauges show these samples, and no others, until the next call."""
        shown: defaultdict[Metric, list[Observation]] = defaultdict(list)
        for metric, value, attributes in samples:
            shown[metric].append(Observation(float(value), attributes))
        self._shown = shown  # replaced, never changed: other threads read it

    async def exposition(self) -> bytes:
        """Return everything in Prometheus's text format."""
        return await asyncio.to_thread(generate_latest, self.registry)

    async def close(self) -> None:
        """Send what is left. What takes too long is left behind, for the process must end."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def leave() -> None:
            self.provider.shutdown(timeout_millis=self.answer.total_seconds() * 1000)
            if not loop.is_closed():
                loop.call_soon_threadsafe(over.set)

        # Of asyncio's own threads each is waited for when the loop ends, however long it takes.
        threading.Thread(target=leave, name="telemetry-farewell", daemon=True).start()
        try:
            async with asyncio.timeout(self.answer.total_seconds()):
                await over.wait()
        except TimeoutError:
            return


def _summed(sums: Mapping[_Items, float]) -> Callable[[CallbackOptions], Iterator[Observation]]:
    def read(options: CallbackOptions) -> Iterator[Observation]:
        for items, total in list(sums.items()):  # one step: others may add meanwhile
            yield Observation(total, dict(items))

    return read


def meters(*, version: str, instance: str, otlp: str | None, by_environment: bool) -> Meters:
    """Return the instruments of a process.

    They are sent to the collector at `otlp`; without one, `by_environment`, to that of the OTEL_
    variables, which the exporter reads itself; and else to nobody.
    """
    registry = CollectorRegistry()
    readers: list[MetricReader] = [
        PrometheusMetricReader(
            disable_target_info=True,
            scope_info_enabled=False,
            registry=registry,
            cardinality_limits=_LIMITS,
        )
    ]
    if otlp is not None or by_environment:
        readers.append(_exporting(otlp))
    named = resource(version=version, instance=instance)
    return Meters(MeterProvider(readers, named, shutdown_on_exit=False), registry)


def _exporting(otlp: str | None) -> MetricReader:
    return PeriodicExportingMetricReader(
        OTLPMetricExporter(endpoint=endpoint(otlp, "metrics"), timeout=ANSWER.total_seconds()),
        export_interval_millis=EXPORT_EVERY.total_seconds() * 1000,
        cardinality_limits=_LIMITS,
    )
