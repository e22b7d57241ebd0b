"""From a message of aiokafka's to a record of ours."""

from aiokafka import ConsumerRecord

from streams.ports import Record


def record_of(message: ConsumerRecord[bytes, bytes], topic_id: str = "") -> Record:
    """Return the message, as one of this incarnation of its topic."""
    return Record(
        message.topic,
        message.partition,
        message.offset,
        message.key,
        message.value,
        message.timestamp,
        tuple(message.headers),
        topic_id=topic_id,
    )
