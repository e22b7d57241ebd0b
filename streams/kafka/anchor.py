"""Holding on to the topic that a run began with: a partition that is assigned by hand is silent.

Made anew under the same name, its offsets would mean other rows, and would be read as if nothing
had happened.
"""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from streams.kafka.deadlines import ANSWER, within
from streams.kafka.innards import partitions_of
from streams.kafka.topic_ids import topic_ids

LOOK_EVERY = timedelta(seconds=60)


class TopicChangedError(RuntimeError):
    """The topic is not the one that the run began with: begin another run."""


@dataclass(slots=True)
class Anchor:
    """A topic as it was when a run was planned: its id, and how many partitions it had.

    What is not known of it (empty, 0) is learnt with the first look.
    """

    topic: str
    topic_id: str
    of: int
    consumer: AIOKafkaConsumer
    admin: AIOKafkaAdminClient

    async def keep(self) -> NoReturn:
        """Look once a minute. Raises TopicChangedError."""
        while True:
            await asyncio.sleep(LOOK_EVERY.total_seconds())
            try:
                await self.look()
            except (KafkaError, OSError):
                continue  # whoever cannot do without an answer says so

    async def look(self) -> None:
        """Compare the topic with what it was. Partitions that were added hold later rows only.

        Raises TopicChangedError, and KafkaError or TimeoutError where there is no answer.
        """
        found = (await within(ANSWER, topic_ids(self.admin, [self.topic]))).get(self.topic)
        of = len(await within(ANSWER, partitions_of(self.consumer, self.topic)))
        self.topic_id, self.of = self.topic_id or found or "", self.of or of
        if found != self.topic_id or of < self.of:
            raise TopicChangedError(
                f"{self.topic} was deleted, or made anew, since the run was planned: its offsets "
                "mean other rows now; begin another run"
            )
