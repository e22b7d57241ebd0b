"""Committing what is done: once a second, one commit at a time, and only while we may.

The broker asks who commits, and never for what: a commit that is under way when a rebalance hands
the partitions out anew is taken for partitions of somebody else. So none begins between the moment
when partitions are taken away and the next assignment, and the one that is under way is waited for.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import NoReturn

from aiokafka import AIOKafkaConsumer, OffsetAndMetadata, TopicPartition
from aiokafka.errors import (
    CommitFailedError,
    IllegalStateError,
    KafkaError,
    OffsetMetadataTooLargeError,
)

from schemas.wire import to_milliseconds
from streams.commit_order import CommitOrder
from streams.commits import LIMIT, Metadata, encode
from streams.kafka.deadlines import settled
from streams.kafka.held import Held, Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.innards import generation
from streams.kafka.owed import Owed
from streams.ports import Clock

COMMIT_EVERY_SECONDS = 1.0
PATIENCE = timedelta(seconds=30)
FAREWELL = timedelta(seconds=3)
"""How long a rebalance waits for the commit under way, and again for the last one."""


@dataclass(slots=True)
class Committer:
    """Commits the partitions that are held, under a `nonce` that no other life has.

    `owed`: something is done, and no commit since then was taken. `order` remembers which were.
    """

    consumer: AIOKafkaConsumer
    topic: str
    nonce: str
    holdings: Holdings
    clock: Clock
    incidents: Incidents
    owed: Owed = field(default_factory=Owed)
    order: CommitOrder = field(default_factory=CommitOrder)
    _silent: bool = True
    _under_way: asyncio.Task[None] | None = None
    _longest: int = LIMIT
    _number: Iterator[int] = field(default_factory=count)

    async def keep(self) -> NoReturn:
        """Commit every second."""
        while True:
            await asyncio.sleep(COMMIT_EVERY_SECONDS)
            await self.commit()

    async def commit(self, limit: timedelta = PATIENCE) -> bool:
        """Commit what has changed, and say whether nothing is left that should be.

        After `limit` the commit is left to itself, and none begins before it has ended.
        """
        while self._under_way is not None and not self._under_way.done():
            if not await settled(self._under_way, limit):
                return False
        if self._silent:
            return False
        changed = self._changed()
        if not changed:
            self.owed.settle()
            return True
        self.owed.owe(time.monotonic())
        # By the time that we hear of its end somebody else's commit may be the one under way.
        ours = self._under_way = asyncio.create_task(self._send(changed))
        if not await settled(ours, limit):
            self.incidents.note("commit_late", topic=self.topic, partitions=sorted(changed))
            return False
        ours.result()
        return all(held.written == standing for held, standing in changed.values())

    async def farewell(self) -> None:
        """Send the last commit of this assignment: the group takes it, and waits for us."""
        if self._under_way is not None:
            await settled(self._under_way, FAREWELL)
        known = generation(self.consumer) == self.holdings.epoch
        if known:  # a member that was thrown out would be heard if the group is empty
            self._silent = False
            await self.commit(FAREWELL)
        self._silent = True

    def be_silent(self) -> None:
        """Begin no commit until `speak`."""
        self._silent = True

    def speak(self) -> None:
        """Commit again."""
        self._silent = False

    def _changed(self) -> dict[int, tuple[Held, tuple[int, bytes]]]:
        standings = {
            number: (held, held.tracker.committable())
            for number, held in self.holdings.held.items()
            if held.commits
        }
        return {
            number: (held, standing)
            for number, (held, standing) in standings.items()
            if held.written != standing
        }

    async def _send(self, changed: Mapping[int, tuple[Held, tuple[int, bytes]]]) -> None:
        while True:
            longest = self._longest
            offsets = {number: self._offset(*found) for number, found in changed.items()}
            try:
                await self.consumer.commit(
                    {TopicPartition(self.topic, number): found for number, found in offsets.items()}
                )
            except OffsetMetadataTooLargeError:
                most = max(len(found.metadata) for found in offsets.values())
                self.incidents.note("commit_map_dropped", topic=self.topic, longest=longest)
                if most > longest:  # there is no map left that could go
                    return
                # Of the others the commit was taken; to send them again is harmless.
                self._longest = most - 1
                continue
            except (CommitFailedError, IllegalStateError, KafkaError) as error:
                # Tried again at once it would cost us our place in the group.
                self._silent = self._silent or isinstance(error, CommitFailedError)
                self.incidents.note("commit_failed", topic=self.topic, error=type(error).__name__)
                return
            for number, (held, standing) in changed.items():
                held.written = standing
                if self.holdings.held.get(number) is held:  # else somebody else's may be later
                    self.order.note((held.topic_id, number), offsets[number].metadata)
            self.owed.settle()
            return

    def _offset(self, held: Held, standing: tuple[int, bytes]) -> OffsetAndMetadata:
        offset, finished = standing
        at = held.committed_at(to_milliseconds(self.clock()))
        nonce = f"{self.nonce}-{next(self._number)}"
        text = encode(Metadata(nonce, held.topic_id, at, finished))
        if len(text) > self._longest:
            text = encode(Metadata(nonce, held.topic_id, at))
        return OffsetAndMetadata(offset, text)
