"""What stands around a half by the settings: signals where somebody listens, and last counts."""

import threading

from streams.pace import until
from streams.pipeline import Scoring
from streams.settings.edges import TelemetrySettings
from streams.settings.load import Settings
from streams.telemetry.metrics import Metric
from streams.telemetry.projecting import ProjectingHalf
from streams.vitals.station import Station
from streams.wiring.broker import Wiring
from streams.wiring.vitals import VitalsWiring
from tests.fakes import NOON, ListSink, ListSource, no_beats
from tests.kafka.proxy import free_port
from tests.streams.assemble.spans import a_span
from tests.streams.assemble.staging import ListPost, Spans, a_stage, at
from tests.streams.telemetry.exposed import labels, some_meters, values


def ways_out() -> set[threading.Thread]:
    """Return the threads that signals leave by."""
    return {one for one in threading.enumerate() if one.name.endswith("-outlet")}


async def half_with(settings: Settings) -> tuple[object, set[threading.Thread]]:
    """Return the half within what measures it, and the ways out that it had."""
    vitals, station = VitalsWiring(Wiring(settings), "test"), Station(some_meters())
    before, source, sink = ways_out(), ListSource(()), ListSink()
    async with vitals.scoring(station, source, sink, {}, clock=lambda: NOON) as flight:
        return flight.half, ways_out() - before


async def test_nothing_is_made_where_nobody_listens() -> None:
    half, ways = await half_with(Settings())

    assert isinstance(half, Scoring)
    assert ways == set()


async def test_a_collector_that_is_named_hears_of_scores_and_is_left_at_the_end() -> None:
    address = f"http://127.0.0.1:{free_port()}"

    half, ways = await half_with(Settings(telemetry=TelemetrySettings(otlp=address)))

    assert isinstance(half, ProjectingHalf)
    assert {one.name for one in ways} == {"span-outlet", "log-outlet"}
    await until(lambda: not any(one.is_alive() for one in ways))


async def test_what_a_stage_counts_after_the_last_look_is_told_when_it_ends() -> None:
    vitals, station = VitalsWiring(Wiring(Settings()), "test"), Station(some_meters())
    stage = a_stage(Spans([[at(0, a_span(0, root=True))]]), ListPost())

    async with vitals.assembling(station, stage):
        await station.look()
        await stage.run(no_beats())

    assert await values(station.meters, Metric.ROWS) == {labels(dialect="invented"): 1}
