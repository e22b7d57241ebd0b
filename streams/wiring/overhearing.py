"""From settings to what lets a replay stand back for live traffic, on either broker."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from streams.beside import beside
from streams.folder.follower import follow_new
from streams.kafka.follower import KafkaFollower
from streams.ports import Clock
from streams.replay.overhearing import overhear
from streams.replay.politeness import Politeness
from streams.wiring.broker import Wiring


@asynccontextmanager
async def overhearing(
    wiring: Wiring, politeness: Politeness, *, clock: Clock
) -> AsyncIterator[None]:
    """Let the marks and tallies of live traffic be heard for as long as the context lasts."""
    topics = wiring.topics
    if not wiring.on_kafka:
        follower = follow_new(wiring.root, (topics.marks, topics.scores))
        async with beside(overhear(politeness, [follower], clock=clock)):
            yield
        return
    async with (
        KafkaFollower(wiring.cluster, topics.marks, new_only=True) as marks,
        KafkaFollower(wiring.cluster, topics.scores, new_only=True) as scores,
        beside(overhear(politeness, [marks, scores], clock=clock)),
    ):
        yield
