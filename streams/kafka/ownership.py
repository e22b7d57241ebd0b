"""Whose a record is, asked while it is worked on: partitions come and go meanwhile."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from streams.kafka.held import Holdings
from streams.kafka.lease import Lease
from streams.ports import Record

ASKS_AGAIN_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Ownership:
    """Says what is certain, and waits until something is. `check_pulse` notices a standstill."""

    holdings: Holdings
    lease: Lease
    check_pulse: Callable[[], None]

    async def owns(self, record: Record) -> bool:
        """Say whether the record is ours to work on.

        In a rebalance nobody knows, nor while the group does not answer: then it takes as long.
        """
        self.check_pulse()
        while self.holdings.holds(record) and not self._certain(record):
            await asyncio.sleep(ASKS_AGAIN_SECONDS)
            self.check_pulse()
        return self.holdings.holds(record)

    def _certain(self, record: Record) -> bool:
        return self.holdings.settled(record) and self.lease.runs(time.monotonic())
