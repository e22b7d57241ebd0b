"""The scored event: a verdict with everything that a reader needs to trust it or to object."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Literal

from schemas.rejection import Rejection
from schemas.score import SamplingRef, ScoreEvent, ScorerRef
from schemas.trace import RagTrace
from schemas.wire import from_milliseconds
from streams.ports import Record
from streams.scoring.bounding import bounded
from streams.scoring.chances import Chance
from streams.scoring.disclosure import Disclosure
from streams.scoring.draws import Draw
from streams.scoring.panel import Judged
from streams.trace_context import carried


@dataclass(frozen=True, slots=True)
class Sampled:
    """A row as it was read, and the scorers that drew it."""

    record: Record
    trace: RagTrace
    draw: Draw


def read(
    record: Record, draw: Draw | Rejection, decode: Callable[[Record], RagTrace | Rejection]
) -> Sampled | Rejection:
    """Return a row that was drawn, as it reads; or why it cannot be read."""
    if isinstance(draw, Rejection):
        return draw
    trace = decode(record)
    return trace if isinstance(trace, Rejection) else Sampled(record, trace, draw)


@dataclass(frozen=True, slots=True)
class Scorecard:
    """What all events of a worker share: how rows were drawn, how much text may be shown.

    `run` names a replay; None is live traffic.
    """

    by: Literal["body", "key"]
    disclosure: Disclosure
    run: str | None = None

    def event(self, row: Sampled, chance: Chance, judged: Judged, *, at: datetime) -> ScoreEvent:
        """Return the event of one seat's verdict on a row."""
        seat = judged.seat
        return ScoreEvent(
            event_id=seat.event_id(row.trace),
            trace=_trace(judged.trace),
            scorer=_scorer_ref(seat.scorer.name, seat.scorer.version),
            judge=judged.judge,
            config_hash=seat.config_hash,
            series=judged.series,
            outcome=bounded(judged.outcome, self.disclosure),
            sampling=self.sampling(row, chance),
            usage=judged.usage,
            mode="live" if self.run is None else "replay",
            run=self.run,
            scored_at=at,
            attributes=judged.trace.attributes,
            traceparent=carried(row.record.headers),
            redacted=judged.hidden,
            origin=_origin(row.record),
        )

    def sampling(self, row: Sampled, chance: Chance) -> SamplingRef:
        """Return how a scorer drew a row."""
        return _sampling_ref(chance.probability, row.draw.stratum, self.by)


def _trace(trace: RagTrace) -> dict[str, object]:
    """Return the fields of a `TraceRef`: it is made with its event, in one go."""
    return {
        "trace_id": trace.trace_id,
        "span_id": trace.span_id,
        "service": trace.service,
        "environment": trace.environment,
        "session_id": trace.session_id,
        "answered_at": trace.answered_at,
    }


def _origin(record: Record) -> dict[str, object]:
    """Return the fields of an `Origin`."""
    return {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": from_milliseconds(record.timestamp),
    }


@lru_cache(maxsize=64)
def _scorer_ref(name: str, version: str) -> ScorerRef:
    return ScorerRef(name=name, version=version)


@lru_cache(maxsize=256)
def _sampling_ref(probability: float, stratum: str, by: Literal["body", "key"]) -> SamplingRef:
    return SamplingRef(probability=probability, stratum=stratum, by=by)
