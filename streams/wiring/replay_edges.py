"""Both edges of a replay, on either broker: opened in the order that keeps it to one process."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from schemas.run import Run
from streams.folder.lease import lock_as_lease
from streams.folder.source import FolderSource
from streams.kafka.probe import reaching
from streams.kafka.replaying import KafkaReplaySource
from streams.kafka.sink import KafkaSink
from streams.ports import Clock, Sink, Source
from streams.replay.runs import Post
from streams.subscription import Subscription
from streams.version import VERSION
from streams.wiring.broker import Wiring
from streams.wiring.scoring import longest_line

Leased = Callable[[], bool]
"""Says whether the run is ours."""

Claim = Callable[[Post], AbstractAsyncContextManager[Leased]]
"""Takes the run by writing its manifest, and keeps it meanwhile. Raises LeaseTakenError."""


class Reading(NamedTuple):
    """A run, and what is read for it: a topic, or a file in its place."""

    run: Run
    subscription: Subscription
    file: Path | None


class Edges(NamedTuple):
    """What a run reads, where it writes, and the rows that it found gone, by partition."""

    source: Source
    sink: Sink
    gaps: Callable[[], Mapping[int, int]]


@asynccontextmanager
async def folder_edges(
    wiring: Wiring, reading: Reading, claim: Claim, clock: Clock
) -> AsyncIterator[Edges]:
    """Yield the edges on a folder: there the group's lock is a lease, too.

    Raises LeaseTakenError, and LockedError where another process writes to the folder's topics.
    """
    run, subscription, file = reading
    names, longest = wiring.topics, longest_line(wiring.settings.intake.max_bytes)
    source = FolderSource(wiring.root, subscription, clock, longest, file=file)
    async with AsyncExitStack() as stack:
        with lock_as_lease(run.key):
            await stack.enter_async_context(source)
        sink = await stack.enter_async_context(wiring.folder_sink(clock=clock))
        sink.claim(names.scores, names.marks, names.runs)
        await stack.enter_async_context(claim(sink))
        yield Edges(source, sink, dict)


@asynccontextmanager
async def kafka_edges(
    wiring: Wiring, reading: Reading, claim: Claim, clock: Clock
) -> AsyncIterator[Edges]:
    """Yield the edges on Kafka. Raises LeaseTakenError; ConnectionError where no broker answers."""
    run, subscription, _ = reading
    cluster, names = wiring.cluster, wiring.topics
    sink = KafkaSink(cluster, names, subscription.group, VERSION, more=(names.runs,))
    async with AsyncExitStack() as stack:
        async with reaching(cluster):
            await stack.enter_async_context(sink)
            leased = await stack.enter_async_context(claim(sink))
            source = KafkaReplaySource(
                cluster,
                subscription,
                clock,
                epoch=run.life,
                leased=leased,
                topic_id=run.topic_id,
                of=run.of,
                began_at=run.began_at,
            )
            await stack.enter_async_context(source)
        yield Edges(source, sink, lambda: source.gaps)
