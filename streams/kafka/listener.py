"""What happens in a rebalance: partitions are taken away, and others, or the same, are given.

All members of the group wait for the slowest, so every step has a short deadline; and aiokafka
swallows what is raised here, so a failure is handed to whoever can stop the process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener, TopicPartition

from streams.kafka.committer import Committer
from streams.kafka.held import Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.innards import generation


@dataclass(slots=True)
class Listener(ConsumerRebalanceListener):
    """Stills and starts reading and committing. `began` and `ended` bracket each rebalance."""

    consumer: AIOKafkaConsumer
    holdings: Holdings
    committer: Committer
    incidents: Incidents
    began: Callable[[], None]
    ended: Callable[[Collection[int]], None]
    failed: Callable[[BaseException], None]

    async def on_partitions_revoked(self, revoked: Collection[TopicPartition]) -> None:
        """Stop reading at once, wait for the commit under way, and send the last one."""
        await self._guarded(self._revoked())

    async def on_partitions_assigned(self, assigned: Collection[TopicPartition]) -> None:
        """Know at once what is ours; taking it up happens outside of the rebalance."""
        await self._guarded(self._assigned([part.partition for part in assigned]))

    async def _revoked(self) -> None:
        self.holdings.still()
        self.committer.be_silent()
        self.began()
        await self.committer.farewell()
        self.holdings.suspend()

    async def _assigned(self, numbers: Collection[int]) -> None:
        self.holdings.assign(numbers, generation(self.consumer))
        self.committer.speak()
        self.ended(numbers)

    async def _guarded(self, step: Awaitable[None]) -> None:
        try:
            await step
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.incidents.note("rebalance_failed", error=repr(error))
            self.failed(error)
