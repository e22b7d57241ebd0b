"""`score`: the score half on its topics, or one file on the spot."""

from pathlib import Path

import structlog
from rich.console import Console

from streams.beside import beside
from streams.commands.sending import sending
from streams.console.printing import PrintingSink
from streams.console.reporting import say_progress
from streams.folder.follower import follow_file
from streams.folder.piped import pipe
from streams.live import run_until_stopped, worker_name
from streams.pace import beats, now
from streams.pipeline import run
from streams.ports import Source
from streams.scoring.sampling import BASE
from streams.scoring.share import share_of
from streams.scoring.throttle import Unthrottled
from streams.wiring.broker import Wiring
from streams.wiring.judges import JudgeWiring
from streams.wiring.scoring import ScoreWiring
from streams.wiring.vitals import VitalsWiring

log = structlog.get_logger()


async def score(wiring: Wiring, *, once: bool) -> bool:
    """Follow the traces topic and publish scores, until stopped (or, with `once`, to its end).

    Returns whether the end was reached, where that was asked for. Raises NotServedError where
    `once` would never come to one, for want of a topic.
    """
    if once:
        async with wiring.glance() as look:
            await wiring.refuse_missing(look, wiring.topics.traces, wiring.topics.scores)
    parts, vitals = ScoreWiring(wiring), VitalsWiring(wiring, worker_name())
    async with (
        vitals.station() as station,
        parts.edges(clock=now, end_at_end=once) as (source, sink),
        JudgeWiring(wiring).panel(
            share=lambda: share_of(source), hears=vitals.hears(station)
        ) as panel,
        sending(wiring, station.meters, once=once),
        vitals.scoring(station, source, sink, panel, clock=now) as half,
    ):
        log.info("scoring", broker=wiring.broker, probability=dict(parts.sampler.chances(BASE)))
        async with beside(say_progress(source)):
            await run_until_stopped(
                source, half, beats=beats(), clock=now, in_flight=parts.in_flight
            )
        stand = sorted(number for number, at in source.progress().items() if at.stands)
        if once and stand:
            log.warning("end_not_reached", partitions=stand, way_out="streamgauge dead list")
    log.info("stopped")
    return not (once and stand)


async def score_file(wiring: Wiring, file: Path, *, as_json: bool) -> bool:
    """Judge the rows of a file or pipe and print the verdicts; nothing is written anywhere.

    Returns whether every row could be read and judged.
    """
    source = _rows_of(file)
    sink = PrintingSink(Console(stderr=as_json), as_json)
    parts = ScoreWiring(wiring)
    async with JudgeWiring(wiring).panel(waits=False) as panel:
        half = parts.scoring(
            source, sink, panel, clock=now, worker=worker_name(), throttle=Unthrottled()
        )
        await run(source, half, beats=beats(), clock=now, in_flight=parts.in_flight)
    sink.summarise()
    if sink.way_out is not None:
        sink.out.print(sink.way_out, style="yellow", markup=False, soft_wrap=True)
    return sink.well


def _rows_of(file: Path) -> Source:
    return follow_file(file, file.name) if file.is_file() else pipe(file, file.name, now)
