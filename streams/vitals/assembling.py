"""The stage that makes rows of spans, as a person on call sees it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from streams.assemble.stage import Assembling
from streams.ports import Source
from streams.telemetry.meters import Meters
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from streams.vitals.lag import lag
from streams.vitals.part import Member, Remote

_Attributes = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class AssembleVitals:
    """A `Part`. What the stage has counted goes to the meters whenever gauges are read.

    Whoever ends it calls `tell` once more. `before` is what is read where records are cut up by
    trace first.
    """

    stage: Assembling
    meters: Meters
    before: Source | None = None
    _told: Counter[tuple[Metric, _Attributes]] = field(default_factory=Counter)

    def samples(self) -> Iterator[Sample]:
        """Yield lag by partition, and what waits."""
        self.tell()
        yield from lag(self.stage.source)
        yield Sample(Metric.OPEN, len(self.stage.traces))
        yield Sample(Metric.BUFFER, self.stage.traces.bytes)

    def tell(self) -> None:
        """Hand the meters what was counted since the last time."""
        for at, total in self._totals().items():
            metric, attributes = at
            self.meters.add(metric, total - self._told[at], dict(attributes))
            self._told[at] = total

    def _totals(self) -> Mapping[tuple[Metric, _Attributes], int]:
        stage, letters = self.stage, self.stage.letters
        by_one: tuple[tuple[Metric, str, Mapping[str, int]], ...] = (
            (Metric.SPANS, "outcome", stage.traces.counts),
            (Metric.TRACES, "why", stage.traces.closed),
            (Metric.ROWS, "dialect", letters.dialects),
            (Metric.UNWRITTEN, "why", letters.counts),
        )
        totals: dict[tuple[Metric, _Attributes], int] = {
            (metric, ((name, value),)): total
            for metric, name, counts in by_one
            for value, total in counts.items()
        }
        for (dialect, lacks), total in letters.missing.items():
            totals[Metric.MISSING, (("dialect", dialect), ("field", lacks))] = total
        return totals

    def dead(self) -> Iterator[str]:
        """Say so where the group is lost."""
        for edge in (self.before, self.stage.source):
            if isinstance(edge, Member) and (lost := edge.lost):
                yield lost

    def unready(self) -> Iterator[str]:
        """Yield what keeps us from reading or writing."""
        for edge in (self.before, self.stage.source, self.stage.post):
            if isinstance(edge, Remote) and (trouble := edge.trouble):
                yield trouble
