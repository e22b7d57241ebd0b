"""Both edges of the score half on Kafka, opened and closed in the order that loses nothing."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from streams.address import Topics
from streams.kafka.connection import Connection, Worker
from streams.kafka.recovery import Reading
from streams.kafka.sink import KafkaSink
from streams.kafka.source import KafkaSource
from streams.ports import Clock


@asynccontextmanager
async def edges(
    servers: str, *, slot: str, reading: Reading, topics: Topics, clock: Clock
) -> AsyncIterator[tuple[KafkaSource, KafkaSink]]:
    """Join the group of `reading`, and open what is written; the group is left last.

    `servers` as `host:port,host:port`; workers of one host differ in `slot`.
    """
    connection = Connection(servers, Worker(os.uname().nodename, slot, os.getpid()))
    async with KafkaSource(connection, reading, clock) as source:
        heard, incidents = source.rejected, source.incidents
        ours = version("streamgauge")
        async with KafkaSink(connection, topics, reading.group, ours, heard, incidents) as sink:
            yield source, sink
