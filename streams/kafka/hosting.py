"""Running the watch half's app on Kafka: its ghost put out, time made to pass, a bounded stop."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import KafkaError

from streams.kafka.connection import Connection
from streams.kafka.deadlines import left, within
from streams.kafka.ghosts import remove_ghosts
from streams.kafka.incidents import Incidents
from streams.kafka.innards import on_heartbeat, seek_elsewhere
from streams.kafka.lease import Lease
from streams.kafka.membership import REJOIN_SECONDS
from streams.kafka.sink import KafkaSink
from streams.kafka.topics import admin_of
from streams.watch.faust_app import member
from streams.watch.hosted import HostedFold, WatchApp

STOP = timedelta(seconds=10)
"""How long the app may take to leave: with a broker that is down it would wait without end."""

LOOK_EVERY = 1.0
"""Seconds between two looks at what the app did not deliver."""

ANSWER = timedelta(seconds=10)
"""How long the broker may take to say where its logs begin and end."""

SILENCE = timedelta(seconds=60)
"""How long the app may answer nothing: it is dead then, whatever it says of itself."""

log = structlog.get_logger()


class SilentAppError(OSError):
    """The app has rows to read, or partitions to get, and nothing comes of it."""


class LostRowsError(OSError):
    """A log ends before rows that were folded: it was made anew, and offsets mean others now."""


@dataclass(frozen=True, slots=True)
class Host:
    """The app with what it needs around it. What makes the fold fail ends it."""

    watch_app: WatchApp
    fold: HostedFold
    lease: Lease
    connection: Connection
    group: str
    sink: KafkaSink

    @property
    def app(self) -> Any:
        """The Faust app."""
        return self.watch_app.app

    async def run(self, beats: AsyncIterator[datetime], stopped: asyncio.Event) -> None:
        """Run until `stopped` is set, or raise what made the app fail."""
        async with admin_of(self.connection) as admin:
            await remove_ghosts(admin, self.group, self.connection.worker, Incidents())
        await self.app.start()
        on_heartbeat(member(self.app), self.lease.renew)
        tasks = [
            asyncio.ensure_future(self._keep_time(beats)),
            asyncio.ensure_future(self._keep_order()),
            asyncio.ensure_future(stopped.wait()),
            asyncio.ensure_future(self.app.wait_until_stopped()),
        ]
        try:
            done, _ = await asyncio.wait(
                [*tasks, self.fold.failed], return_when=asyncio.FIRST_COMPLETED
            )
            for task in done:
                task.result()
            if self.app.crash_reason is not None:
                raise self.app.crash_reason
        finally:
            for task in tasks:
                task.cancel()
            await left(self.app.stop(), STOP)

    @property
    def trouble(self) -> str | None:
        """Why nothing can be read or written now. A member without partitions stands by."""
        if self.app.rebalancing or not self.app.rebalancing_count:
            return "the app takes up its partitions"
        if not self.fold.holds():
            return "the group is silent"
        return self.sink.trouble

    def partitions(self) -> set[int]:
        """Return the partitions that this process has now."""
        ours = self.app.consumer.assignment() if self.app.consumer else set()
        return {part.partition for part in ours if part.topic == self.fold.marks}

    async def _keep_time(self, beats: AsyncIterator[datetime]) -> None:
        async for now in beats:
            await self.sink.tick(now, sorted(self.partitions()))

    async def _keep_order(self) -> None:
        """Have what the app passed over read again: it does not deliver every row that is there.

        A broker or partitions that are away are no silence of the app. Its tables may take longer
        to be read than the group to hand out its partitions.
        """
        time = asyncio.get_running_loop().time
        looked = handed_out = time()
        while True:
            await asyncio.sleep(LOOK_EVERY)
            is_waiting = self.app.rebalancing and not self.app.in_recovery
            is_waiting |= not self.fold.holds()
            if not is_waiting or self.sink.trouble:
                handed_out = time()
            if await self._has_looked():
                looked = time()
            if time() > handed_out + REJOIN_SECONDS:
                raise SilentAppError("the group hands out no partitions, or is silent")
            if time() > looked + SILENCE.total_seconds():
                raise SilentAppError("the app answers nothing")

    async def _has_looked(self) -> bool:
        """Look at what is due, and say whether the app answered. In trouble there is no look."""
        if self.trouble is None:
            try:
                await within(ANSWER, self._look())
            except KafkaError as error:
                log.info("app_not_looked_at", error=repr(error))
            except TimeoutError:
                return False
        return True

    async def _look(self) -> None:
        consumer, gaps = self.app.consumer, self.fold.gaps
        topics = (self.fold.watches.scores, self.fold.marks)
        parts = [part for part in consumer.assignment() if part.topic in topics]
        now = asyncio.get_running_loop().time()
        ends = await consumer.highwaters(*parts)
        if self.app.rebalancing:
            return
        for part in parts:
            self.fold.take_up(part.partition, self.watch_app)
        for part in gaps.beyond(ends, now=now):
            raise LostRowsError(
                f"{part.topic}/{part.partition} ends at {ends[part]}, and was read up to "
                f"{gaps.due(part)}: begin the watch half anew, as docs/operate.md says under State"
            )
        for part in gaps.stuck(ends, now=now):
            raise SilentAppError(f"rows of {part.topic}/{part.partition} wait, and none is read")
        overdue = {part: gaps.due(part) for part in gaps.overdue(ends, now=now)}
        first = await self.fold.first(overdue) if overdue else {}
        for part, row in first.items():
            if self.app.rebalancing or not gaps.knows(part):
                return
            if row >= ends[part]:
                self.fold.believe(part, to=row, at=self.watch_app)
                continue
            consumer.resume_partitions({known for known in parts if known == part})  # of its type
            to = gaps.asked(part, first=row, now=now)
            seek_elsewhere(member(self.app), TopicPartition(*part), to)
