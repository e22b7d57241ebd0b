"""Rows through the score half, with a list for a topic."""

from datetime import timedelta

from schemas.trace import RagTrace
from scorers.contract import Judge
from streams.pipeline import run
from streams.scoring.panel import Seat
from tests.fakes import NOON, ListSink, ListSource, PlainScorer, a_record, no_beats
from tests.streams.scoring.half import a_scoring


def rows(*traces: RagTrace | bytes) -> ListSource:
    return ListSource([a_record(trace, offset) for offset, trace in enumerate(traces)])


def seat(judge: Judge, *, name: str = "plain", deadline: float = 60) -> Seat:
    return Seat(PlainScorer(name=name), judge, timedelta(seconds=deadline))


async def score(
    source: ListSource,
    *seats: Seat,
    probability: float = 1.0,
    in_flight: int = 4,
    sink: ListSink | None = None,
) -> ListSink:
    sink = sink or ListSink()
    panel = {one.scorer.name: one for one in seats}
    scoring = a_scoring(source, sink, panel, probability=probability)
    await run(source, scoring, beats=no_beats(), clock=lambda: NOON, in_flight=in_flight)
    return sink
