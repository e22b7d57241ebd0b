"""From a message of aiokafka's to a record of ours."""

from collections.abc import Iterable

from aiokafka import ConsumerRecord

from streams.address import Headers
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
        headers_of(message.headers),
        topic_id=topic_id,
    )


def headers_of(headers: Iterable[tuple[str, bytes | None]]) -> Headers:
    """Return headers as ours are. On Kafka the value of one may be null: here it is empty."""
    return tuple((name, value or b"") for name, value in headers)
