"""Writing what the flow produces to its topics on Kafka."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from schemas.alert import Mute
from schemas.mark import Mark, Tick
from schemas.rejection import Rejection
from schemas.score import NotScorable, Scored, ScoreEvent
from streams.address import (
    MODE,
    ORIGINAL,
    Letter,
    Topics,
    dead_headers,
    letter,
    mode,
    muting,
)
from streams.kafka.connection import Connection
from streams.kafka.deadlines import ANSWER, left, within
from streams.kafka.emitter import Emitter, Outgoing, TooLargeError
from streams.kafka.incidents import Incidents
from streams.kafka.starting import started
from streams.partitioning import partition_of
from streams.ports import Message, Record


def unheard(record: Record) -> None:
    """Hear of a rejected row, and do nothing."""


@dataclass(slots=True)
class KafkaSink:
    """A `Sink`. What it has returned from is acknowledged by all replicas.

    `group` and `version` are named on dead letters; `rejected` hears of each row before it is set
    aside (a source may stop its partition at that). `more` topics are written to by `send`.
    """

    connection: Connection
    topics: Topics
    group: str
    version: str
    rejected: Callable[[Record], None] = unheard
    incidents: Incidents = field(default_factory=Incidents)
    more: tuple[str, ...] = ()
    _emitter: Emitter = field(init=False)
    _reader: AIOKafkaConsumer = field(init=False)

    async def __aenter__(self) -> Self:
        to = self.topics
        written = (to.scores, to.marks, to.windows, to.alerts, to.dead, *self.more)
        self._emitter = Emitter(self.connection, written, self.incidents)
        await self._emitter.__aenter__()
        self._reader = await started(self.connection.reader)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._emitter.__aexit__(*error)
        await left(self._reader.stop())

    @property
    def trouble(self) -> str | None:
        """Why nothing can be written now."""
        return "the producer is being replaced" if self.away else None

    @property
    def away(self) -> bool:
        """Whether nothing takes what is written: it is kept, and sent again for some minutes."""
        return self._emitter.replacing

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write each message to the topic of its kind. One that is too large goes cut short."""
        try:
            await self.send([letter(message, self.topics) for message in messages])
        except TooLargeError:
            short = (cut_short(m) if isinstance(m, ScoreEvent) else m for m in messages)
            await self.send([letter(message, self.topics) for message in short])

    async def send(self, letters: Sequence[Letter]) -> None:
        """Write each letter to its topic. Raises TooLargeError where one does not fit there."""
        await self._emitter.send([await self._outgoing(one) for one in letters])

    async def fits(self, sent: Letter) -> bool:
        """Say whether its topic takes a letter of that size."""
        return (await self._outgoing(sent)).size <= self._emitter.limit(sent.topic)

    async def _outgoing(self, sent: Letter) -> Outgoing:
        partition = partition_of(sent.route, await self._emitter.partitions(sent.topic))
        return Outgoing(sent.topic, partition, sent.key, sent.value, sent.headers)

    async def mark(self, mark: Mark) -> None:
        """Write a copy to each partition of the marks topic, with that partition's `scores`.

        Where the ends of the scores topic cannot be had now, the mark is left out: another follows.
        """
        try:
            numbers = range(await self._emitter.partitions(self.topics.marks))
            parts = [TopicPartition(self.topics.scores, number) for number in numbers]
            ends = await within(ANSWER, self._reader.end_offsets(parts))
        except (KafkaError, TimeoutError) as error:
            self.incidents.note("mark_skipped", topic=self.topics.marks, error=repr(error))
            return
        headers = ((MODE, mode(mark.run)),)
        await self._emitter.send(
            [
                Outgoing(
                    self.topics.marks,
                    part.partition,
                    None,
                    mark.model_copy(update={"scores": ends[part]}).to_json(),
                    headers,
                )
                for part in parts
            ]
        )

    async def tick(self, at: datetime, partitions: Iterable[int]) -> None:
        """Write a tick to partitions of the marks topic: the score half may be silent there."""
        value = Tick(at=at).to_json()
        to = self.topics.marks
        await self._emitter.send([Outgoing(to, number, None, value, ()) for number in partitions])

    async def mute(self, mute: Mute) -> None:
        """Write a copy to each partition of the alerts topic: any alert may be the one."""
        topic, key, value = muting(mute, self.topics)
        numbers = range(await self._emitter.partitions(topic))
        await self._emitter.send([Outgoing(topic, number, key, value, ()) for number in numbers])

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Set a record aside on the dead-letter topic: its bytes as they came, the why in headers.

        One that is too large for that topic is named there without its bytes.
        """
        self.rejected(record)
        headers = dead_headers(record, rejection, at=at, group=self.group, version=self.version)
        dead = self.topics.dead
        partition = record.partition % await self._emitter.partitions(dead)
        # A record needs a key or a value: of one that had neither, an empty value is left.
        value = b"" if record.key is None and record.value is None else record.value
        outgoing = Outgoing(dead, partition, record.key, value, headers)
        if outgoing.size > self._emitter.limit(dead):
            ours = tuple(header for header in headers if not header[0].startswith(ORIGINAL))
            outgoing = Outgoing(dead, partition, None, b"", ours)
        await self._emitter.send([outgoing])


def cut_short(event: ScoreEvent) -> ScoreEvent:
    """Return the event without its evidence and reason: the numbers are what must arrive."""
    outcome = event.outcome
    if isinstance(outcome, Scored):
        outcome = outcome.model_copy(update={"breakdown": {}, "reason": None})
    elif isinstance(outcome, NotScorable):
        outcome = outcome.model_copy(update={"breakdown": None})
    return event.model_copy(update={"outcome": outcome})
