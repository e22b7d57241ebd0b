"""The score half as a person on call sees it: what waits, what is under way, whether it moves."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from streams.ports import Sink, Source
from streams.scoring.gate import Gate
from streams.scoring.panel import Seat
from streams.scoring.throttle import Throttle
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.metrics import SCORER, Metric
from streams.telemetry.sample import Sample
from streams.vitals.advance import Advance
from streams.vitals.flight import Flight
from streams.vitals.lag import lag
from streams.vitals.part import Member, Remote

PATIENCE_SECONDS = 180.0


@dataclass(slots=True)
class ScoreVitals:
    """A `Part`. `deadline` is a row's, after which it must have finished in some way."""

    source: Source
    sink: Sink
    flight: Flight[Any]
    panel: Mapping[str, Seat]
    throttle: Throttle
    metered: MeteredSink
    deadline: timedelta
    stopwatch: Callable[[], float] = time.monotonic
    _advance: Advance = field(init=False)

    def __post_init__(self) -> None:
        self._advance = Advance(self.stopwatch())

    def samples(self) -> Iterator[Sample]:
        """Yield lag by partition, what is under way, what is lowered, and judges that refuse."""
        yield from lag(self.source)
        yield Sample(Metric.IN_FLIGHT, self.flight.rows)
        yield Sample(Metric.OLDEST, self.flight.oldest)
        for name, seat in self.panel.items():
            yield Sample(Metric.REFUSING, _refuses(seat), {SCORER: name})
        yield Sample(Metric.KEPT, self.throttle.kept)
        for name, used in self.throttle.used.items():
            yield Sample(Metric.BUDGET, used, {"budget": name})
        yield from self.metered.samples()

    def dead(self) -> Iterator[str]:
        """Say so where the group is lost, or rows wait, nobody is the reason, and nothing moves."""
        if isinstance(self.source, Member) and (lost := self.source.lost):
            yield lost
        waiting = {n: at for n, at in self.source.progress().items() if not at.stands}
        waits = any(at.end > at.next for at in waiting.values())
        away = any(edge.away for edge in self._remotes)
        held_up = away or any(map(_refuses, self.panel.values()))
        moved = (self.flight.finished, tuple((n, at.epoch, at.next) for n, at in waiting.items()))
        now = self.stopwatch()
        stood = self._advance.stands(moved, waits=waits and not held_up, now=now)
        if stood > max(2 * self.deadline.total_seconds(), PATIENCE_SECONDS):
            yield f"rows wait, and nothing has moved for {stood:.0f} s"

    def unready(self) -> Iterator[str]:
        """Yield what keeps us from reading or writing."""
        yield from (trouble for edge in self._remotes if (trouble := edge.trouble))

    @property
    def _remotes(self) -> list[Remote]:
        return [edge for edge in (self.source, self.sink) if isinstance(edge, Remote)]


def _refuses(seat: Seat) -> bool:
    return isinstance(seat.gate, Gate) and seat.gate.shut
