"""A run as it is opened, to work on or to rehearse: its manifest, made, or checked and taken up."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import structlog
from pydantic import JsonValue

from schemas.run import Run
from streams.glance import Glance
from streams.pace import now
from streams.replay.beginning import begun, bounded, check_same_log, part_of, taken_up
from streams.replay.paid import paid
from streams.replay.planning import ReplayRefusedError, plan
from streams.replay.verdicts import Verdicts
from streams.scoring.earlier import Earlier, Unknown
from streams.scoring.panel import Seat
from streams.wiring.frozen import drawing_more, frozen
from streams.wiring.replaying import ReplayWiring

log = structlog.get_logger()


async def run_of(parts: ReplayWiring, known: Mapping[str, Run], look: Glance) -> Run:
    """Return the manifest of a run that begins, or goes on where it stood in what is `known` of it.

    Nothing is written. Says what is missing. Raises ReplayRefusedError, ConnectionError.
    """
    run = await _opened(parts, known, look)
    return bounded(run, parts.asked)


async def _opened(parts: ReplayWiring, known: Mapping[str, Run], look: Glance) -> Run:
    other = part_of(parts.asked, known.values(), topic=parts.topic)
    if before := known.get(parts.asked.key):
        return await _taken_up(parts, before, look)
    if other is None:
        kept = frozen(drawing_more(parts.wiring.settings, parts.asked.probability))
        return await _begun(parts, kept)
    asked = replace(parts.asked, begin=other.from_, end=other.to, again=other.again)
    run = await _begun(replace(parts, asked=asked), other.frozen)
    return run.model_copy(update={"configs": other.configs})


async def _begun(parts: ReplayWiring, kept: dict[str, JsonValue]) -> Run:
    asked, at = parts.asked, now()
    async with parts.survey() as survey:
        there = await survey.extents(parts.topic, from_=asked.begin, to=asked.end)
    found = plan(parts.topic, there, from_=asked.begin, to=asked.end, ours=asked.has, now=at)
    for message in found.messages:
        log.warning("replay_range", said=message)
    return begun(asked, found, kept, topic=parts.topic, at=at)


async def _taken_up(parts: ReplayWiring, before: Run, look: Glance) -> Run:
    run = taken_up(before, parts.asked, topic=parts.topic)
    async with parts.survey() as survey:
        there = await survey.extents(parts.topic, from_=run.from_, to=run.to)
    check_same_log(run, there)
    spent = await paid(look, parts.wiring.topics.scores, run)
    return run.model_copy(update={"spent": spent})


def as_judged(run: Run, panel: Mapping[str, Seat]) -> Run:
    """Return the run with its configurations. Raises ReplayRefusedError where they have changed."""
    configs = {name: seat.config_hash for name, seat in panel.items()}
    if run.configs and run.configs != configs:
        raise ReplayRefusedError(
            f"run {run.run} began with a version of Streamgauge that judges otherwise: its "
            "verdicts cannot stand beside today's. Begin another run, or go on with that version"
        )
    return run.model_copy(update={"configs": configs})


@asynccontextmanager
async def earlier(parts: ReplayWiring, run: Run, look: Glance) -> AsyncIterator[Earlier]:
    """Yield the verdicts that the run need not buy. Raises ConnectionError."""
    if run.again:
        yield Unknown()
        return
    with Verdicts(run.run, set(run.configs.values())) as found:
        await found.learn(look, parts.wiring.topics.scores, since=run.from_)
        log.info("verdicts_known", run=run.key, verdicts=len(found))
        yield found
