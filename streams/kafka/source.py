"""Reading a topic as a member of a group: nothing lost, and no verdict paid for twice."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Self

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient

from schemas.wire import to_milliseconds
from streams.kafka.background import Background
from streams.kafka.committer import Committer
from streams.kafka.connection import Connection
from streams.kafka.deadlines import left
from streams.kafka.flood import Floods
from streams.kafka.ghosts import remove_ghosts
from streams.kafka.held import Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.innards import on_heartbeat
from streams.kafka.inquiry import Inquiry
from streams.kafka.lease import Lease
from streams.kafka.listener import Listener
from streams.kafka.lookout import Lookout
from streams.kafka.membership import Membership
from streams.kafka.ownership import Ownership
from streams.kafka.poller import Poller
from streams.kafka.pulse import Pulse
from streams.kafka.recovery import Recovery
from streams.kafka.starting import started
from streams.kafka.takeover import Takeover
from streams.ports import Clock, Progress, Record
from streams.subscription import Subscription

JOINING = timedelta(seconds=60)
LEAVING = timedelta(seconds=5)


@dataclass(slots=True)
class KafkaSource:
    """A `Source`; between entry and exit it is a member of its group.

    Entry waits for a broker and for a first assignment (60 s each). Exit commits what is done and
    leaves; each of its steps has a deadline.
    """

    connection: Connection
    subscription: Subscription
    clock: Clock
    incidents: Incidents = field(default_factory=Incidents)
    _holdings: Holdings = field(default_factory=Holdings)
    _floods: Floods = field(default_factory=Floods)
    _of: int = 1
    _stopped: asyncio.Future[None] = field(init=False)
    _background: Background = field(init=False)
    _consumer: AIOKafkaConsumer = field(init=False)
    _admin: AIOKafkaAdminClient = field(init=False)
    _committer: Committer = field(init=False)
    _poller: Poller = field(init=False)
    _lookout: Lookout = field(init=False)
    _ownership: Ownership = field(init=False)
    _membership: Membership = field(init=False)

    async def __aenter__(self) -> Self:
        group, link = self.subscription.group, self.connection
        self._stopped = asyncio.get_running_loop().create_future()
        self._background = Background()
        self._admin = await started(link.admin)
        await remove_ghosts(self._admin, group, link.worker, self.incidents)
        self._consumer = await started(lambda: link.member(group))
        takeover = self._join()
        for keeper in (
            self._committer.keep(),
            self._lookout.keep(),
            self._lookout.keep_polling(),
            self._lookout.keep_pulse(),
        ):
            self._background.keep(keeper)
        await takeover.first(JOINING)
        return self

    def _join(self) -> Takeover:
        """Make the parts that a member has, and subscribe: from then on the group may call."""
        subscription, holdings, incidents = self.subscription, self._holdings, self.incidents
        nonce, link, clock = uuid.uuid4().hex[:12], self.connection, self.clock
        consumer = self._consumer
        self._committer = committer = Committer(
            consumer, subscription.topic, nonce, holdings, clock, incidents
        )
        inquiry = Inquiry(subscription, consumer, self._admin)
        recovery = Recovery(link, subscription, consumer, inquiry, holdings, committer, incidents)
        self._poller = Poller(consumer, subscription.topic, holdings, incidents, self._stopped)
        takeover = Takeover(recovery, self._background, incidents, self._forget)
        listener = Listener(
            consumer,
            holdings,
            committer,
            incidents,
            began=takeover.began,
            ended=takeover.ended,
            failed=self._background.fail,
        )
        session, now = link.session_timeout.total_seconds(), time.monotonic()
        lease, pulse = Lease(session, now), Pulse(session, now)
        on_heartbeat(consumer, lease.renew)
        consumer.subscribe([subscription.topic], listener=listener)
        self._lookout = Lookout(consumer, subscription.topic, holdings, incidents, inquiry, pulse)
        self._ownership = Ownership(holdings, lease, self._lookout.check_pulse)
        self._membership = Membership(
            holdings, lambda: self._lookout.deaf, takeover.owed, committer.owed
        )
        return takeover

    async def __aexit__(self, *error: object) -> None:
        self.stop()
        self._background.cancel()
        await self._committer.farewell()
        await left(self._admin.close())
        if not await left(self._consumer.stop(), LEAVING):
            self.incidents.note("closed_late", topic=self.subscription.topic)
        self._holdings.assign((), -1)

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches of at most 500 rows of one partition; partitions take turns.

        Raises what a background task failed with, and KafkaError where we may not read.
        """
        while not self._stopped.done():
            self._background.check()
            if self.subscription.end_at_end and self._holdings.ended:
                return
            if batch := await self._poller.next():
                self._floods.of(batch[0].partition).read(len(batch))
                yield batch

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
        """Say whether the record is ours to work on, once that is certain."""
        return await self._ownership.owns(record)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Note that the tallies of all rows below `to` are safely written."""
        self._holdings.assignment.seal(partition, to=to, epoch=epoch)

    def progress(self) -> Mapping[int, Progress]:
        """Return where each partition stands."""
        return self._holdings.progress()

    @property
    def trouble(self) -> str | None:
        """Why nothing can be read now. A member without partitions stands by, and is well."""
        return self._membership.trouble

    @property
    def away(self) -> bool:
        """Whether no broker answers."""
        return self._lookout.deaf

    @property
    def lost(self) -> str | None:
        """Why only a new start brings it back into its group."""
        return self._membership.lost

    @property
    def partitions(self) -> int:
        """How many partitions the topic has, whoever they are assigned to."""
        known = self._consumer.partitions_for_topic(self.subscription.topic) or ()
        self._of = len(known) or self._of
        return self._of

    def stop(self) -> None:
        """End `batches` soon."""
        if not self._stopped.done():
            self._stopped.set_result(None)

    def rejected(self, record: Record) -> None:
        """Note a row that cannot be read. Where there are too many, its partition stops.

        Rows of it that are not set aside yet then stay open: they come again with a restart.
        """
        held = self._holdings.of(record)
        if held is None or held.stopped is not None:
            return
        if self._floods.of(record.partition).rejects(record.offset):
            held.stopped = "rejections_flood"
            self.incidents.note("rejections_flood", topic=record.topic, partition=record.partition)

    async def commit(self) -> None:
        """Commit now what is done. The once-a-second commits need no help."""
        await self._committer.commit()

    def _forget(self) -> None:
        self._poller.pauses.forget()
        self._floods.forget()
