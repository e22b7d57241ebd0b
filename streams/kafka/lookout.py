"""What must be looked at again and again while a topic is read, whether rows come or not."""

import asyncio
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from streams.kafka.deadlines import ANSWER, within
from streams.kafka.held import Holdings
from streams.kafka.incidents import Incidents
from streams.kafka.innards import permanent, rejoin
from streams.kafka.inquiry import Inquiry
from streams.kafka.pulse import Pulse
from streams.kafka.topic_ids import topic_ids

EVERY_SECONDS = 5.0
RARELY = 12
"""How many looks at the ends of the log come before one at the topic itself: one a minute."""
POLL_EVERY_SECONDS = 0.5
NOBODY = TopicPartition("", 0)
GIVE_UP = timedelta(minutes=5)
"""How long nothing may answer before the process stops. The client never looks for brokers anew:
where all of their addresses have changed, only a restart finds them."""


@dataclass(slots=True)
class Lookout:
    """Keeps the ends of the log current, and notices a topic that was made anew."""

    consumer: AIOKafkaConsumer
    topic: str
    holdings: Holdings
    incidents: Incidents
    inquiry: Inquiry
    pulse: Pulse
    give_up: timedelta = GIVE_UP
    _deaf_since: float | None = None

    async def keep(self) -> NoReturn:
        """Look every 5 s at the ends, and once a minute at what may have changed for good.

        Raises ConnectionError once no broker has answered for `give_up`.
        """
        looks = 0
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            looks += 1
            await self._listen()
            try:
                await self._look_at_ends()
                if looks % RARELY == 0:
                    self.try_damaged_again()
                    await self.look_at_topic()
            except (KafkaError, OSError):
                continue  # a partition without a leader is told by those who cannot do without it

    @property
    def deaf(self) -> bool:
        """Whether no broker answered when one was last asked."""
        return self._deaf_since is not None

    async def _listen(self) -> None:
        """Ask any broker for anything, be there partitions of ours or not."""
        try:
            await within(ANSWER, topic_ids(self.inquiry.admin, [self.topic]))
        except (KafkaError, OSError) as error:
            now = time.monotonic()
            self._deaf_since = now if self._deaf_since is None else self._deaf_since
            if now - self._deaf_since >= self.give_up.total_seconds():
                raise ConnectionError(f"broker: no Kafka answers any more ({error})") from error
        else:
            self._deaf_since = None

    async def keep_polling(self) -> NoReturn:
        """Poll for nothing: a member that does not poll is put out, however busy it is.

        Raises KafkaError where the group's coordination failed for good.
        """
        while True:
            await asyncio.sleep(POLL_EVERY_SECONDS)
            try:
                await self.consumer.getmany(NOBODY, timeout_ms=0)
            except KafkaError as error:
                if permanent(error, self.consumer):
                    raise

    async def keep_pulse(self) -> NoReturn:
        """Beat while the event loop runs."""
        while True:
            await asyncio.sleep(POLL_EVERY_SECONDS)
            self.check_pulse()
            self.pulse.beat(time.monotonic())

    def check_pulse(self) -> None:
        """Trust nothing that is held, and have it assigned anew, if we stood still for long."""
        if self.pulse.failed(time.monotonic()) and any(
            h.trusted for h in self.holdings.held.values()
        ):
            self.incidents.note("frozen", topic=self.topic)
            for held in self.holdings.held.values():
                held.distrust()
            rejoin(self.consumer)

    async def _look_at_ends(self) -> None:
        """Lag must be seen to grow where reading stands, and fetches tell no ends."""
        parts = [TopicPartition(self.topic, number) for number in self.holdings.mine]
        if parts:
            ends = await within(ANSWER, self.consumer.end_offsets(parts))
            for part, end in ends.items():
                if (held := self.holdings.held.get(part.partition)) is not None:
                    held.end = max(held.end, end)

    def try_damaged_again(self) -> None:
        """Take up partitions that stand at a damaged batch: another replica may have it whole."""
        for number, held in self.holdings.held.items():
            if held.stopped == "batch_unreadable" and held.reads:
                held.stopped = None
                self.consumer.seek(TopicPartition(self.topic, number), held.tracker.position)

    async def look_at_topic(self) -> None:
        """Have everything assigned anew if the topic is not the one that it was."""
        topic_id = await self.inquiry.topic_id()
        strange = [held for held in self.holdings.held.values() if held.topic_id != topic_id]
        for held in strange:
            held.distrust()
        if strange:
            rejoin(self.consumer)
