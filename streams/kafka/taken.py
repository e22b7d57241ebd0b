"""Rows that aiokafka has given away, and nobody was handed yet."""

from typing import NamedTuple

from aiokafka import ConsumerRecord, TopicPartition

from streams.batch import Batch, Parsed
from streams.kafka.held import Held
from streams.kafka.records import headers_of
from streams.ports import Record

Messages = list[ConsumerRecord[bytes, bytes]]


class Taken(NamedTuple):
    """Messages of a partition, in order and at least one."""

    part: TopicPartition
    messages: Messages

    def batch(self, held: Held) -> Batch:
        """Return those that were not handed out, up to where a bounded reading ends."""
        (topic, number), messages = self
        position, upto = held.tracker.position, held.upto
        if messages[0].offset < position or (upto is not None and messages[-1].offset >= upto):
            bound = messages[-1].offset + 1 if upto is None else upto
            messages = [m for m in messages if position <= m.offset < bound]
        epoch, topic_id = held.tracker.epoch, held.topic_id

        def record(row: Parsed) -> Record:
            place, at, headers = row.offset, row.timestamp, headers_of(row.headers)
            return Record(
                topic, number, place, row.key, row.value, at, headers, epoch, topic_id=topic_id
            )

        return Batch(messages, record)
