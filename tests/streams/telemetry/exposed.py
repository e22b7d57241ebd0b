"""What /metrics says, as tests look at it."""

from prometheus_client.parser import text_string_to_metric_families  # noqa: TID251 - reads it back

from streams.telemetry.meters import Meters, meters
from streams.telemetry.metrics import Metric

Labels = frozenset[tuple[str, str]]


def some_meters() -> Meters:
    """Return instruments that are sent to nobody."""
    return meters(version="1", instance="test", otlp=None, by_environment=False)


def series(text: str) -> dict[str, dict[Labels, float]]:
    """Return the values of each name by their labels."""
    found: dict[str, dict[Labels, float]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            found.setdefault(sample.name, {})[frozenset(sample.labels.items())] = sample.value
    return found


async def values(made: Meters, metric: Metric, of: str = "") -> dict[Labels, float]:
    """Return the values of a metric by their labels; `of` is `_count` or `_sum` of a histogram."""
    text = (await made.exposition()).decode()
    return series(text).get(metric.value.exposed + of, {})


def labels(**names: str) -> Labels:
    """Return labels as they are looked up by."""
    return frozenset(names.items())
