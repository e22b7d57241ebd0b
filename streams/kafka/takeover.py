"""After each rebalance, taking up what is ours: as often as it takes, or until the next one."""

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from aiokafka.errors import KafkaError
from tenacity import AsyncRetrying, retry_if_exception_type, wait_exponential

from streams.kafka.background import Background
from streams.kafka.incidents import Incidents
from streams.kafka.owed import Owed
from streams.kafka.recovery import Recovery

TRANSIENT = (KafkaError, TimeoutError, OSError)


@dataclass(slots=True)
class Takeover:
    """Takes partitions up in the background. `forget` clears what was known of the old ones.

    `owed`: the group owes us an assignment; from the beginning, until the first one.
    """

    recovery: Recovery
    background: Background
    incidents: Incidents
    forget: Callable[[], None]
    owed: Owed = field(default_factory=lambda: Owed(time.monotonic()))
    _under_way: asyncio.Task[None] | None = None
    _first: asyncio.Future[None] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def began(self) -> None:
        """A rebalance began: what is being taken up may not be ours any more."""
        self.owed.owe(time.monotonic())
        if self._under_way is not None:
            self._under_way.cancel()

    def ended(self, numbers: Collection[int]) -> None:
        """A rebalance ended, and these partitions are ours."""
        self.owed.settle()
        self.forget()
        self._under_way = self.background.keep(self._take_up(numbers))

    async def first(self, limit: timedelta) -> None:
        """Wait until what we are given first is taken up: then it is settled where a group begins.

        A group that cannot be joined within the limit is no reason not to start.
        """
        either: set[asyncio.Future[Any]] = {self._first, self.background.failure}
        await asyncio.wait(
            either, timeout=limit.total_seconds(), return_when=asyncio.FIRST_COMPLETED
        )

    async def _take_up(self, numbers: Collection[int]) -> None:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(TRANSIENT), wait=wait_exponential(0.1, max=5)
        ):
            with attempt:
                try:
                    await self.recovery.take_up(numbers)
                except TRANSIENT as error:
                    topic = self.recovery.subscription.topic
                    self.incidents.note("recovery_failed", topic=topic, error=repr(error))
                    raise
        if not self._first.done():
            self._first.set_result(None)
