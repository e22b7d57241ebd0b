"""Sending what must not get lost, with a producer that is replaced whenever a row fails.

After one failed row an idempotent producer's numbers no longer match the broker's, and every later
row of that partition fails as well, for a day. So the producer is closed, a new one is made, and
what has no answer is sent again from memory: a row that had landed all the same comes twice, under
the same event id.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple, Self

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError, MessageSizeTooLargeError

from streams.address import Headers
from streams.kafka.acknowledged import Acknowledgements
from streams.kafka.connection import MAX_REQUEST_BYTES, SEND_TIMEOUT, Connection
from streams.kafka.deadlines import abandon, settled, within
from streams.kafka.incidents import Incidents
from streams.kafka.innards import close_by_hand
from streams.kafka.starting import patiently, started
from streams.kafka.topics import admin_of, found
from streams.topics import TopicFound

ANSWER = timedelta(seconds=30)
"""How long rows may be without an answer before their producer is taken for dead."""
GIVE_UP = timedelta(minutes=5)
"""How long the topics may be unwritable before the process stops, with nothing committed."""
CLOSING = 2 * SEND_TIMEOUT
LEAVING = timedelta(seconds=5)
"""How long the last rows may take at the end; closing by hand then gets half of it."""
OVERHEAD = 512
"""Bytes that a record may need beside its key, value and headers."""


class Outgoing(NamedTuple):
    """A record to be written to a partition of a topic.

    `timestamp` in milliseconds since 1970, None: the time of its writing.
    """

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    timestamp: int | None = None

    @property
    def size(self) -> int:
        """An upper bound of its bytes on the wire."""
        headers = sum(len(name) + len(value) + 16 for name, value in self.headers)
        return len(self.key or b"") + len(self.value or b"") + headers + OVERHEAD


class TooLargeError(Exception):
    """A record is larger than its topic takes. It was not sent, and nothing was harmed."""


@dataclass(slots=True)
class Emitter:
    """Writes records and waits for their acknowledgement by all replicas."""

    connection: Connection
    topics: Sequence[str]
    incidents: Incidents
    answer: timedelta = ANSWER
    give_up: timedelta = GIVE_UP
    _limits: dict[str, int] = field(default_factory=dict)
    _partitions: dict[str, int] = field(default_factory=dict)
    _replacing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _replaced: asyncio.Future[None] = field(init=False)
    _producer: AIOKafkaProducer = field(init=False)

    async def __aenter__(self) -> Self:
        for name, topic in (await patiently(self._look)).items():
            self._limits[name] = int(topic.config["max.message.bytes"])
            self._partitions[name] = topic.partitions
        self._replaced = asyncio.get_running_loop().create_future()
        self._producer = await started(self._new)
        return self

    async def __aexit__(self, *error: object) -> None:
        stopping = asyncio.create_task(self._producer.stop())
        if not await settled(stopping, LEAVING):
            await self._close(self._producer, LEAVING / 2)
        abandon(stopping)

    async def _look(self) -> dict[str, TopicFound]:
        async with admin_of(self.connection) as admin:
            return await within(SEND_TIMEOUT, found(admin, self.topics))

    def limit(self, topic: str) -> int:
        """Return the most bytes that a record of the topic may have."""
        return min(self._limits.get(topic, MAX_REQUEST_BYTES), MAX_REQUEST_BYTES)

    @property
    def replacing(self) -> bool:
        """Whether a producer has failed, and another is not there yet."""
        return self._replacing.locked()

    async def partitions(self, topic: str) -> int:
        """Return how many partitions a topic has, as it was at the start.

        A topic whose count changes under a running flow breaks the order of an assistant's events.
        One that was not there is waited for. Raises TimeoutError or KafkaError after five minutes.
        """
        if topic not in self._partitions:

            async def ask() -> set[int]:
                return await within(SEND_TIMEOUT, self._producer.partitions_for(topic))

            self._partitions[topic] = len(await patiently(ask, self.give_up))
        return self._partitions[topic]

    async def send(self, records: Sequence[Outgoing]) -> None:
        """Return once every record is safely written, however many producers that takes.

        Raises TooLargeError where one is larger than its topic takes (it is not sent), and
        TimeoutError or KafkaError after five minutes.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.give_up.total_seconds()
        unsent = list(records)
        while unsent:
            self._check_sizes(unsent)
            producer, replaced = self._producer, self._replaced
            unsent = await self._attempt(producer, replaced, unsent)
            if unsent:
                if loop.time() > deadline:
                    raise TimeoutError(f"{unsent[0].topic} could not be written")
                await self._replace(producer)

    def _check_sizes(self, records: Sequence[Outgoing]) -> None:
        for record in records:
            if record.size > self.limit(record.topic):
                raise TooLargeError(f"{record.size} bytes for {record.topic}")

    async def _attempt(
        self,
        producer: AIOKafkaProducer,
        replaced: asyncio.Future[None],
        records: Sequence[Outgoing],
    ) -> list[Outgoing]:
        """Send the records once, and return those without an acknowledgement."""
        answers = [await _sent(producer, record) for record in records]
        awaited = Acknowledgements(answers, replaced)
        await awaited.come(self.answer)
        return [
            record
            for record, answer in zip(records, answers, strict=True)
            if not answer.done() or self._failed(record, answer)
        ]

    def _failed(self, record: Outgoing, answer: asyncio.Future[Any]) -> bool:
        error = answer.exception()
        if isinstance(error, MessageSizeTooLargeError):  # the topic's limit was lowered meanwhile
            self._limits[record.topic] = record.size - 1
        return error is not None

    async def _replace(self, broken: AIOKafkaProducer) -> None:
        """Put a new producer in the place of a broken one, if nobody else has."""
        async with self._replacing:
            if self._producer is not broken:
                return
            self.incidents.note("producer_replaced", topics=list(self.topics))
            self._replaced.set_result(None)
            await self._close(broken, CLOSING)
            self._producer = await started(self._new, self.give_up)
            self._replaced = asyncio.get_running_loop().create_future()

    async def _close(self, producer: AIOKafkaProducer, limit: timedelta) -> None:
        closing = asyncio.create_task(close_by_hand(producer))
        if not await settled(closing, limit):
            self.incidents.note("closed_late", what="producer")
        abandon(closing)

    def _new(self) -> AIOKafkaProducer:
        return self.connection.producer(max_batch_bytes=min(map(self.limit, self.topics)))


async def _sent(producer: AIOKafkaProducer, record: Outgoing) -> asyncio.Future[Any]:
    """Return the future of a record's acknowledgement; where it was not even taken, of that."""
    topic, partition, key, value, headers, timestamp = record
    try:
        answer: asyncio.Future[Any] = await producer.send(
            topic, value, key, partition, timestamp, list(headers)
        )
    except KafkaError as error:
        answer = asyncio.get_running_loop().create_future()
        answer.set_exception(error)
    return answer
