"""A replay on a real broker hears what live traffic says of itself, from when it begins on."""

import asyncio
from dataclasses import asdict
from datetime import datetime

import pytest

from schemas.mark import Mark, PartitionProgress
from schemas.tally import Block, StratumTally, Tally
from streams.address import Topics
from streams.kafka.sink import KafkaSink
from streams.pace import now, until
from streams.replay.politeness import Politeness
from streams.settings.load import load
from streams.wiring.broker import Wiring
from streams.wiring.overhearing import overhearing
from tests.kafka.cluster_admin import a_connection
from tests.kafka.flow import prepare

pytestmark = pytest.mark.service

WORKED_OFF = PartitionProgress(next=9, end=9, epoch=1)


def shed(at: datetime, *, run: str | None = None) -> Tally:
    """Return a tally of rows that were shed."""
    return Tally(
        source=Block(topic="rag.traces", partition=0, from_=0, to=9, epoch=1),
        assistant="helpdesk/production",
        minute=at,
        run=run,
        strata={"base": StratumTally(seen=9, shed=1)},
        at=at,
    )


def a_mark(at: datetime) -> Mark:
    """Return a mark of a worker that has nothing left to do."""
    return Mark(worker="w", at=at, of=1, partitions={0: WORKED_OFF})


async def test_rows_that_are_shed_after_it_began_make_a_replay_stand_back(
    kafka: str, topics: Topics
) -> None:
    await prepare(kafka, topics, 0, partitions=2)
    wiring = Wiring(load(None, {"broker": f"kafka://{kafka}", "topics": asdict(topics)}))
    polite, turns = Politeness(0.3), 0

    def clock() -> datetime:
        nonlocal turns
        turns += 1
        return now()

    async with KafkaSink(a_connection(kafka), topics, "g", "0") as sink:
        await sink.publish([shed(now())])
        async with overhearing(wiring, polite, clock=clock):
            await sink.mark(a_mark(now()))
            await sink.publish([shed(now(), run="r1")])
            await asyncio.wait_for(until(lambda: turns > 2), 120)
            before = polite.factor

            await sink.publish([shed(now())])
            await asyncio.wait_for(until(lambda: polite.factor == 0.0), 120)

    assert before == 1.0
    assert polite.because == "live_is_shed"
