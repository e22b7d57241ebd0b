"""One life of a run, in the test's own process: it reads to its end, as the pipeline does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from streams.address import Topics
from streams.kafka.connection import Connection
from streams.kafka.extents import surveying
from streams.kafka.replaying import KafkaReplaySource
from streams.pace import now
from streams.ports import Record
from streams.replay.planning import Plan, plan
from streams.subscription import Bounds, Subscription
from streams.tracker import SPAN
from tests.kafka.member import connection_of, nothing
from tests.streams.ports.driving import decide

RUN = "r"


@dataclass
class Life:
    """What a source gave, in order, and which of it has work: `opens` says so of each row."""

    source: KafkaReplaySource
    opens: Callable[[Record], bool]
    rows: list[Record] = field(default_factory=list)

    def start(self) -> "asyncio.Task[list[int]]":
        """Read in the background."""
        return asyncio.create_task(self.read())

    async def read(self) -> list[int]:
        """Read until the source ends; return the offsets that came."""
        async for batch in self.source.batches():
            await decide(self.source, batch, work=self.opens)
            self.rows += batch
        return [record.offset for record in self.rows]


def group_of(topics: Topics) -> str:
    """Return the group of the run of a test."""
    return f"{topics.traces}-replay-{RUN}"


def always() -> bool:
    """Say that the run is ours: no test of one life takes it away."""
    return True


@asynccontextmanager
async def life(
    kafka: str,
    topics: Topics,
    bounds: Mapping[int, Bounds] | tuple[int, int],
    *,
    opens: Callable[[Record], bool] = nothing,
    epoch: int = 1,
    span: int = SPAN,
    leased: Callable[[], bool] = always,
    **more: Any,
) -> AsyncIterator[Life]:
    """Yield a life of the run that reads those bounds: a pair are those of partition 0."""
    if isinstance(bounds, tuple):
        bounds = {0: Bounds(*bounds)}
    subscription = Subscription(
        topic=topics.traces,
        group=group_of(topics),
        scores=topics.scores,
        run=RUN,
        bounds=bounds,
        span=span,
    )
    connection: Connection = connection_of(kafka)
    async with KafkaReplaySource(connection, subscription, now, epoch, leased, **more) as source:
        yield Life(source, opens)


async def planned(
    kafka: str, topic: str, *, from_: datetime | None = None, to: datetime | None = None
) -> Plan:
    """Return what a run of those times reads of a topic, as it is now."""
    async with surveying(connection_of(kafka)) as survey:
        extents = await survey.extents(topic, from_=from_, to=to)
    return plan(topic, extents, from_=from_, to=to, ours=lambda _: True, now=now())
