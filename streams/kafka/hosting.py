"""Running the watch half's app on Kafka: its ghost put out, time made to pass, a bounded stop."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog

from streams.kafka.connection import Connection
from streams.kafka.deadlines import left
from streams.kafka.ghosts import remove_ghosts
from streams.kafka.incidents import Incidents
from streams.kafka.sink import KafkaSink
from streams.kafka.topics import admin_of
from streams.ports import Record

STOP = timedelta(seconds=10)
"""How long the app may take to leave: with a broker that is down it would wait without end."""

SILENCE = timedelta(seconds=60)
"""Assigned, rows to read, and none read for so long: the app is dead, whatever it says."""

log = structlog.get_logger()


class SilentAppError(OSError):
    """The app has rows to read and reads none."""


@dataclass(slots=True)
class Hearing:
    """When the app last read a record, and up to which offset of each partition."""

    clock: Callable[[], datetime]
    at: datetime = field(init=False)
    next: dict[tuple[str, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.at = self.clock()

    def hear(self, record: Record) -> None:
        """Hear of a record that was read."""
        self.next[record.topic, record.partition] = record.offset + 1
        self.at = self.clock()


@dataclass(frozen=True, slots=True)
class Host:
    """The app with what it needs around it. `failed` ends it, with the exception that it holds."""

    app: Any
    connection: Connection
    group: str
    marks: str
    sink: KafkaSink
    failed: "asyncio.Future[None]"
    hearing: Hearing

    async def run(self, beats: AsyncIterator[datetime], stopped: asyncio.Event) -> None:
        """Run until `stopped` is set, or raise what made the app fail."""
        async with admin_of(self.connection) as admin:
            await remove_ghosts(admin, self.group, self.connection.worker, Incidents())
        await self.app.start()
        tasks = [
            asyncio.ensure_future(self._keep_time(beats)),
            asyncio.ensure_future(stopped.wait()),
            asyncio.ensure_future(self.app.wait_until_stopped()),
        ]
        try:
            done, _ = await asyncio.wait([*tasks, self.failed], return_when=asyncio.FIRST_COMPLETED)
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
        return self.sink.trouble

    def partitions(self) -> set[int]:
        """Return the partitions that this process has now."""
        ours = self.app.consumer.assignment() if self.app.consumer else set()
        return {part.partition for part in ours if part.topic == self.marks}

    async def _keep_time(self, beats: AsyncIterator[datetime]) -> None:
        async for now in beats:
            await self.sink.tick(now, sorted(self.partitions()))
            if now - self.hearing.at > SILENCE and (behind := self._behind()):
                raise SilentAppError(
                    f"nothing was read for {SILENCE.seconds} s; rows wait: {behind}"
                )

    def _behind(self) -> list[str]:
        """Return the partitions that hold rows which the app has not read."""
        ours = self.app.consumer.assignment() if self.app.consumer else set()
        ends = {part: self.app.consumer.highwater(part) for part in ours}
        return [
            f"{part.topic}/{part.partition}"
            for part, end in ends.items()
            if end > self.hearing.next.get((part.topic, part.partition), end)
        ]
