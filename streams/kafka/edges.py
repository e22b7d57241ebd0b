"""Both edges of the score half on Kafka, opened and closed in the order that loses nothing."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from streams.address import Topics
from streams.kafka.connection import Connection
from streams.kafka.probe import reaching
from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.kafka.starting import PATIENCE
from streams.ports import Clock
from streams.subscription import Subscription
from streams.version import VERSION

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
    log.info("connecting", servers=servers, patience_seconds=PATIENCE.total_seconds())
    async with AsyncExitStack() as stack:
        async with reaching(connection):
            source = await stack.enter_async_context(KafkaSource(connection, subscription, clock))
            sink = KafkaSink(
                connection,
                topics,
                subscription.group,
                VERSION,
                rejected=source.rejected,
                incidents=source.incidents,
                more=more,
            )
            await stack.enter_async_context(sink)
        yield source, sink
