"""A member of a group in the test's own process: it reads, and its rows finish when told to."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from streams.address import Topics
from streams.kafka.connection import Connection, Worker
from streams.kafka.source import KafkaSource
from streams.pace import now
from streams.ports import Record
from streams.subscription import Subscription
from streams.tracker import SPAN

SHORT_SESSION = timedelta(seconds=3)


@dataclass
class Member:
    """What a source gave, in order, and which of it has work: `opens` says so of each row."""

    source: KafkaSource
    opens: Callable[[Record], bool]
    rows: list[Record] = field(default_factory=list)

    async def read(self) -> None:
        """Read until the source ends: open, pass and seal, as the pipeline does."""
        async for batch in self.source.batches():
            for record in batch:
                if self.opens(record):
                    self.source.open(record)
            self.source.passed(batch)
            last = batch[-1]
            self.source.seal(last.partition, to=last.offset + 1, epoch=last.epoch)
            self.rows += batch

    @property
    def places(self) -> list[tuple[int, int]]:
        """Where the rows lie, in the order in which they came."""
        return [(record.partition, record.offset) for record in self.rows]

    @property
    def partitions(self) -> set[int]:
        """Which partitions are taken up and read now."""
        return set(self.source.progress())

    def finish(self) -> None:
        """Finish every row that came, if it is still ours to finish."""
        for record in self.rows:
            self.source.done(record)


def everything(record: Record) -> bool:
    """Every row has work."""
    return True


def nothing(record: Record) -> bool:
    """No row has work."""
    return False


def group_of(topics: Topics) -> str:
    """Return the group that the members of a test are in."""
    return f"{topics.traces}.members"


def connection_of(
    servers: str, *, slot: str = "0", session: timedelta = SHORT_SESSION, metadata: float = 2
) -> Connection:
    """Return a connection as a worker of its own slot: its process id is nobody's."""
    return Connection(
        servers,
        Worker("test", slot, 0),
        session_timeout=session,
        metadata_max_age=timedelta(seconds=metadata),
    )


@asynccontextmanager
async def member(
    connection: Connection,
    topics: Topics,
    *,
    opens: Callable[[Record], bool] = nothing,
    span: int = SPAN,
) -> AsyncIterator[Member]:
    """Yield a member that reads in the background, without an error until the end."""
    subscription = Subscription(
        topic=topics.traces, group=group_of(topics), scores=topics.scores, span=span
    )
    async with KafkaSource(connection, subscription, now) as source:
        one = Member(source, opens)
        task = asyncio.create_task(one.read())
        try:
            yield one
        finally:
            source.stop()
            await asyncio.wait_for(task, 10)
