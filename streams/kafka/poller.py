"""Asking for rows: one partition at a time, in turn.

aiokafka forgets rows of other partitions when one raises in the same call, so no call may bring
rows of two.
"""

import asyncio
import struct
import zlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError
from cramjam import DecompressionError

from streams.kafka import checksums
from streams.kafka.damage import Damage
from streams.kafka.deadlines import abandon
from streams.kafka.held import Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.innards import as_parsed, check_quickly, permanent, position
from streams.kafka.taken import Messages, Taken
from streams.kafka.turns import Pauses, Turns
from streams.ports import Record

ROWS = 500
ROUND = 1000
"""How many rows are taken before any of them is worked on, or a few more."""
ROUND_BYTES = 8 * 1024 * 1024
"""The same by their size: a batch may inflate a hundredfold, and there are many partitions."""
TURNS = 3
"""How often everyone else runs before: so many it takes until aiokafka has asked for more."""
IDLE_MS = 200
"""How long a poll waits where no partition has a row."""
CROWDED_MS = 10
"""The same while some partition waits for room: it may have that at any moment."""
MAX_BYTES_OPEN = 40 * 1024 * 1024
"""What open rows may hold as they came; parsed they need about three times as much."""
UNREADABLE = (
    KafkaError,
    DecompressionError,
    zlib.error,
    struct.error,
    ValueError,
    IndexError,
    OSError,
    EOFError,
)


@dataclass(slots=True)
class Poller:
    """Yields batches of what is held. `stopped` ends its waiting."""

    consumer: AIOKafkaConsumer
    topic: str
    holdings: Holdings
    incidents: Incidents
    stopped: asyncio.Future[None]
    turns: Turns = field(default_factory=Turns)
    pauses: Pauses = field(default_factory=Pauses)
    _taken: deque[Taken] = field(default_factory=deque)
    _damage: Damage = field(init=False)

    def __post_init__(self) -> None:
        if checksums.QUICK:
            check_quickly(self.consumer, checksums.sound)
        self._damage = Damage(self.consumer, self.topic, self.holdings, self.incidents)

    async def next(self) -> Sequence[Record]:
        """Return rows of one partition, or none where there are none for a while.

        Raises KafkaError where we may not read, or are out of the group for good.
        """
        if not self._taken:
            await self._take_round()
        return self._handed_out(self._taken.popleft()) if self._taken else []

    async def _take_round(self) -> None:
        """Take rows of several partitions, or wait for a first one anywhere.

        aiokafka asks a node for more only when all that it sent is taken. So this is asked for, and
        everyone else has run, before these rows are worked on.
        """
        numbers = self.holdings.readable()
        rooms = {number: self._room(number) for number in numbers}
        ready = [number for number in self.turns.of(numbers) if rooms[number] > 0]
        rows = size = 0
        for number in ready:
            messages = await self._take(number, min(ROWS, rooms[number]))
            rows += len(messages)
            size += sum(len(row.value or b"") for row in messages)
            if rows >= ROUND or size >= ROUND_BYTES:
                break
        if not rows or self.pauses.paused:  # others that always have rows must not keep one paused
            self._pause()
        if not rows:
            await self._wait(ready, CROWDED_MS if len(ready) < len(numbers) else IDLE_MS)
        for _ in range(TURNS):
            await asyncio.sleep(0)

    def _room(self, number: int) -> int:
        if self.holdings.bytes_open > MAX_BYTES_OPEN:
            return 0
        return self.holdings.held[number].tracker.room

    async def _take(self, number: int, rows: int) -> Messages:
        held = self.holdings.held.get(number)
        if held is None or not held.reads:  # it went while another one was waited for
            return []
        part = TopicPartition(self.topic, number)
        wait = IDLE_MS if held.steps else 0
        as_parsed(self.consumer, part)
        try:
            found = await self.consumer.getmany(
                part, timeout_ms=wait, max_records=1 if held.steps else rows
            )
        except UNREADABLE as error:
            await self._damage.failed(number, held, error)
            return []
        messages = found.get(part, [])
        held.stepped(len(messages))
        if messages:
            self.turns.served(number)
            self._taken.append(Taken(part, messages))
        return messages

    def _handed_out(self, taken: Taken) -> Sequence[Record]:
        """Return the rows that are still wanted, if it is from behind them that reading goes on.

        Whoever seeks takes back what waits: it comes again from there, or it was deleted.
        """
        part, messages = taken
        held = self.holdings.held.get(part.partition)
        behind = position(self.consumer, part) or 0
        if held is None or not held.reads or held.stopped or behind <= messages[-1].offset:
            return []
        tracker = held.tracker
        batch = taken.batch(held)
        if batch:
            tracker.hand_out(batch[-1].offset)
        if held.upto is not None and messages[-1].offset >= held.upto:
            tracker.skip(held.upto)  # what lies between was no row, and none of it comes any more
        if not batch:
            return []
        held.end = max(held.end, self.consumer.last_stable_offset(part) or 0)
        if tracker.earlier or held.published:
            return self.holdings.with_history(batch, held)
        return batch

    async def _wait(self, ready: list[int], milliseconds: int) -> None:
        """Wait for a first row anywhere; it comes alone, so that no two partitions share a call."""
        parts = [TopicPartition(self.topic, number) for number in ready]
        if not parts:
            await asyncio.wait({self.stopped}, timeout=milliseconds / 1000)
            return
        task = asyncio.create_task(
            self.consumer.getmany(*parts, timeout_ms=milliseconds, max_records=1)
        )
        either: set[asyncio.Future[Any]] = {task, self.stopped}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            abandon(task)
            return
        try:
            self._came(parts, task.result())
        except UNREADABLE as error:
            if permanent(error, self.consumer):
                raise
            for number in ready:  # whose it is shows when each is asked alone
                self._damage.step(self.holdings.held.get(number))

    def _came(self, parts: list[TopicPartition], found: Mapping[TopicPartition, Messages]) -> None:
        for part, messages in found.items():
            self._taken.append(Taken(part, messages))
        if not found:
            for part in parts:
                self._pass_markers(part)

    def _pass_markers(self, part: TopicPartition) -> None:
        """Go on behind markers and aborted rows at the end of the log, for no row comes of them."""
        held = self.holdings.held.get(part.partition)
        if held is not None and held.reads:
            reached = position(self.consumer, part)
            if reached is not None and reached > held.tracker.position:
                held.tracker.skip(reached)
            held.end = max(held.end, self.consumer.last_stable_offset(part) or 0)

    def _pause(self) -> None:
        """Pause who has been without room for long, and resume who has enough again."""
        held, numbers = self.holdings.held, self.holdings.readable()
        shares = {number: self._room(number) / held[number].tracker.span for number in numbers}
        now = asyncio.get_running_loop().time()
        pause, resume = self.pauses.weigh(shares, now=now)
        self.consumer.pause(*(TopicPartition(self.topic, number) for number in pause))
        self.consumer.resume(*(TopicPartition(self.topic, number) for number in resume))
