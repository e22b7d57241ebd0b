"""How far behind a source is, as gauges: the same for every part that reads one."""

from collections.abc import Iterator

from streams.ports import Growing, Source
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample


def lag(source: Source) -> Iterator[Sample]:
    """Yield lag by partition, by an end of the log that moves though nothing is read.

    Then how many partitions it has, and how many of them stand.
    """
    if isinstance(source, Growing):
        source.look()
    progress = source.progress()
    for number, at in progress.items():
        yield Sample(Metric.LAG, max(0, at.end - at.next), {"partition": str(number)})
    yield Sample(Metric.PARTITIONS, len(progress))
    yield Sample(Metric.HALTED, sum(at.stands for at in progress.values()))
