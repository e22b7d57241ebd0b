"""Both edges of the score half on Kafka, opened and closed in the order that loses nothing."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version

import structlog

from streams.address import Topics
from streams.kafka.connection import Connection
from streams.kafka.probe import reaching
from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.kafka.starting import PATIENCE
from streams.ports import Clock
from streams.subscription import Subscription

log = structlog.get_logger()


@asynccontextmanager
async def edges(
    connection: Connection,
    *,
    subscription: Subscription,
    topics: Topics,
    clock: Clock,
    more: tuple[str, ...] = (),
) -> AsyncIterator[tuple[KafkaSource, KafkaSink]]:
    """Join the group of `subscription`, and open what is written; the group is left last.

    `more` topics are written to as well. Raises ConnectionError when no broker answers for a
    minute, or at once where none will.
    """
    servers = connection.servers
    ours = version("streamgauge")
    log.info("connecting", servers=servers, patience_seconds=PATIENCE.total_seconds())
    async with AsyncExitStack() as stack:
        async with reaching(connection):
            source = await stack.enter_async_context(KafkaSource(connection, subscription, clock))
            heard, incidents = source.rejected, source.incidents
            sink = KafkaSink(connection, topics, subscription.group, ours, heard, incidents, more)
            await stack.enter_async_context(sink)
        yield source, sink
