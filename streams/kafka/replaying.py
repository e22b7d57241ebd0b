"""Reading what a replay covers: partitions that it was told, up to the ends that it was told.

It is a member of no group, so there are no rebalances; its offsets are committed for a group all
the same, and the tools that watch groups see how far it is. Nothing at the broker keeps a second
process from that group: the run's lease does.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Self

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

from schemas.wire import to_milliseconds
from streams.kafka.anchor import Anchor, TopicChangedError
from streams.kafka.background import Background
from streams.kafka.committer import Committer
from streams.kafka.connection import Connection
from streams.kafka.deadlines import left
from streams.kafka.held import Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.inquiry import Inquiry
from streams.kafka.poller import Poller
from streams.kafka.recovery import Recovery
from streams.kafka.starting import patiently, started
from streams.kafka.unfenced import Unfenced
from streams.ports import Clock, Progress, Record
from streams.replay.lease import LeaseLostError
from streams.subscription import Bounds, Subscription

LEAVING = timedelta(seconds=5)


@dataclass(slots=True)
class KafkaReplaySource:
    """A `Source` of `subscription.bounds`, which ends by itself once all of it is read.

    `epoch` counts the run's lives. `topic_id` and `of`, the number of partitions, are those that
    the run was planned with (empty and 0: what there is); `began_at` is when. While `leased` says
    no, nothing is worked on or committed, and the reading ends with LeaseLostError.

    Entry takes up what earlier lives committed, in 60 s at most. It raises KafkaError where that
    fails, and TopicChangedError.
    """

    connection: Connection
    subscription: Subscription
    clock: Clock
    epoch: int
    leased: Callable[[], bool]
    topic_id: str = ""
    of: int = 0
    began_at: datetime | None = None
    incidents: Incidents = field(default_factory=Incidents)
    _holdings: Holdings = field(default_factory=Holdings)
    _closed: bool = False
    _idle: set[int] = field(default_factory=set)
    _anchor: Anchor = field(init=False)
    _stopped: asyncio.Future[None] = field(init=False)
    _background: Background = field(init=False)
    _consumer: AIOKafkaConsumer = field(init=False)
    _clients: AsyncExitStack = field(init=False)
    _commits: Unfenced = field(init=False)
    _poller: Poller = field(init=False)

    async def __aenter__(self) -> Self:
        self._stopped = asyncio.get_running_loop().create_future()
        self._background = Background()
        link, group = self.connection, self.subscription.group
        async with AsyncExitStack() as entry:
            admin = await started(link.admin)
            entry.push_async_callback(lambda: left(admin.close()))
            consumer = await started(lambda: link.assigned(group))
            entry.push_async_callback(lambda: left(consumer.stop(), LEAVING))
            topic = self.subscription.topic
            self._anchor = Anchor(topic, self.topic_id, self.of, consumer, admin)
            await patiently(self._anchor.look)
            await self._take_up(consumer, admin)
            self._clients = entry.pop_all()
        self._background.keep(self._commits.keep())
        self._background.keep(self._anchor.keep())
        return self

    async def _take_up(self, consumer: AIOKafkaConsumer, admin: AIOKafkaAdminClient) -> None:
        """Make the parts, and bring every partition to where the last commit of the run is."""
        subscription, holdings, incidents = self.subscription, self._holdings, self.incidents
        nonce = uuid.uuid4().hex[:12]
        committer = Committer(consumer, subscription.topic, nonce, holdings, self.clock, incidents)
        self._consumer, self._commits = consumer, Unfenced(committer, self.leased)
        self._poller = Poller(consumer, subscription.topic, holdings, incidents, self._stopped)
        recovery = Recovery(
            self.connection,
            subscription,
            consumer,
            Inquiry(subscription, consumer, admin),
            holdings,
            committer,
            incidents,
            first_published=0 if self.began_at is None else to_milliseconds(self.began_at),
        )
        numbers = sorted(self._bounds)
        consumer.assign([self._part(number) for number in numbers])
        holdings.assign(numbers, self.epoch)
        committer.speak()
        await patiently(lambda: recovery.take_up(numbers))
        self._rest()

    async def __aexit__(self, *error: object) -> None:
        self.stop()
        self._background.cancel()
        await self._commits.farewell()
        self._closed = True
        await self._clients.aclose()

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches of at most 500 rows of one partition; partitions take turns.

        Raises LeaseLostError, TopicChangedError, and KafkaError where we may not read.
        """
        while not (self._stopped.done() or self._holdings.ended):
            self._background.check()
            self._check_ours()
            if batch := await self._poller.next():
                yield batch
            self._rest()

    def _check_ours(self) -> None:
        if not self.leased():
            raise LeaseLostError("the run's lease was not renewed in time: start it again")
        if any(not held.trusted for held in self._holdings.held.values()):
            raise TopicChangedError(f"{self.subscription.topic} was cut short: begin another run")

    def _rest(self) -> None:
        """Ask for no more rows of partitions that are read: they would be fetched and let go."""
        ended = {n for n, held in self._holdings.held.items() if held.ended} - self._idle
        if ended:
            self._consumer.pause(*map(self._part, ended))
            self._idle |= ended

    def open(self, record: Record) -> None:
        """Note that a record has work to do."""
        self._holdings.open(record, now=to_milliseconds(self.clock()))

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that the whole batch is decided."""
        self._holdings.assignment.passed(batch)

    def done(self, record: Record) -> None:
        """Note that an opened record needs no more work."""
        self._holdings.done(record)

    async def owns(self, record: Record) -> bool:
        """Say whether the record is ours to work on: the run is, and it was not left."""
        return not self._closed and self.leased() and self._holdings.holds(record)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Note that the tallies of all rows below `to` are safely written."""
        self._holdings.assignment.seal(partition, to=to, epoch=epoch)

    def progress(self) -> Mapping[int, Progress]:
        """Return where each partition stands in its bounds, as it was at the end after that."""
        bounds = self._bounds
        return {
            number: at._replace(next=min(at.next, bounds[number].end), end=bounds[number].end)
            for number, at in self._holdings.progress().items()
        }

    @property
    def gaps(self) -> Mapping[int, int]:
        """How many offsets this life found deleted, by partition, where there are any."""
        return {n: held.gone for n, held in self._holdings.held.items() if held.gone}

    @property
    def partitions(self) -> int:
        """How many partitions the topic had when the run was planned."""
        return self._anchor.of

    def stop(self) -> None:
        """End `batches` soon."""
        if not self._stopped.done():
            self._stopped.set_result(None)

    async def commit(self) -> None:
        """Commit now what is done, while the run is ours. The once-a-second commits need no help.

        Raises ConnectionError where that has failed for 5 minutes.
        """
        await self._commits.commit()

    @property
    def _bounds(self) -> Mapping[int, Bounds]:
        return self.subscription.bounds or {}

    def _part(self, number: int) -> TopicPartition:
        return TopicPartition(self.subscription.topic, number)
