"""The few things of aiokafka that we need and that have no public name: an upgrade looks here."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import (
    GroupAuthorizationFailedError,
    IllegalStateError,
    TopicAuthorizationFailedError,
)
from aiokafka.protocol.api import Request
from aiokafka.protocol.fetch import FetchRequest


async def ask(
    admin: AIOKafkaAdminClient, request: Request[Any], *, node: int | None = None
) -> dict[str, Any]:
    """Send any request to a node (or to one that is at hand), and return the answer's fields."""
    answer = await admin._send_request(request, node)
    fields: dict[str, Any] = answer.to_object()
    return fields


def generation(consumer: AIOKafkaConsumer) -> int:
    """Return the generation in which the group knows us; -1 once it does not."""
    coordinator: Any = consumer._coordinator
    number: int = coordinator.generation
    return number


def on_heartbeat(consumer: AIOKafkaConsumer, answered: Callable[[float], None]) -> None:
    """Have `answered` told of each heartbeat that the group took: when it was sent (monotonic)."""
    coordinator: Any = consumer._coordinator
    ask_group: Callable[[], Awaitable[bool]] = coordinator._do_heartbeat

    async def heartbeat() -> bool:
        sent = time.monotonic()
        taken = await ask_group()
        if taken:
            answered(sent)
        return taken

    coordinator._do_heartbeat = heartbeat


def rejoin(consumer: AIOKafkaConsumer) -> None:
    """Have the group assign its partitions anew, under a new generation."""
    coordinator: Any = consumer._coordinator
    coordinator.request_rejoin()


def permanent(error: BaseException, consumer: AIOKafkaConsumer) -> bool:
    """Say whether there is no use in polling on: we may not read, or the group's task died.

    That task keeps us in the group, and never comes back by itself.
    """
    coordinator: Any = consumer._coordinator
    task: asyncio.Task[None] = coordinator._coordination_task
    return task.done() or isinstance(
        error, GroupAuthorizationFailedError | TopicAuthorizationFailedError
    )


def position(consumer: AIOKafkaConsumer, part: TopicPartition) -> int | None:
    """Return the next offset to fetch, which markers move too; None where it is not known."""
    subscription: Any = consumer._subscription.subscription
    if subscription is None or subscription.assignment is None:
        return None
    state = subscription.assignment.state_value(part)
    if state is None or not state.has_valid_position:
        return None
    reached: int = state.position
    return reached


def as_parsed(consumer: AIOKafkaConsumer, part: TopicPartition) -> None:
    """Have what is fetched of a partition come as it was parsed: a `ConsumerRecord` costs 1 us.

    It has the same offset, timestamp, key, value and headers, and does not name its partition.
    """
    fetcher: Any = consumer._fetcher
    fetched = fetcher._records.get(part)
    rows = getattr(fetched, "_partition_records", None)
    if rows is not None and not isinstance(rows, _Parsed):
        rows._consumer_record = _itself
        fetched._partition_records = _Parsed(rows)


def _itself(part: TopicPartition, parsed: object) -> object:
    return parsed


@dataclass(frozen=True, slots=True)
class _Parsed:
    """The rows of a partition, which come without a call of `__next__` for each."""

    rows: Any

    def __iter__(self) -> Iterator[object]:
        unpacked: Iterator[object] = self.rows._records_iterator
        return unpacked

    def __next__(self) -> object:
        return next(self.rows)

    @property
    def next_fetch_offset(self) -> int:
        reached: int = self.rows.next_fetch_offset
        return reached


def check_quickly(consumer: AIOKafkaConsumer, sound: Callable[[bytes], bool]) -> None:
    """Have what is fetched checked by `sound`, and by aiokafka where that does not vouch for it.

    So whatever is damaged is refused as it always was, where it lies.
    """
    fetcher: Any = consumer._fetcher
    client: Any = consumer._client
    ask_node: Callable[..., Awaitable[Any]] = client.send
    if not fetcher._check_crcs:
        return

    async def send(node: int, request: Any, **how: Any) -> Any:
        response = await ask_node(node, request, **how)
        if isinstance(request, FetchRequest):  # whose rows are unpacked before anything else runs
            parts = (part for _, parts in response.topics for part in parts)
            fetcher._check_crcs = not all(sound(part[-1] or b"") for part in parts)
        return response

    client.send = send


def seek_elsewhere(consumer: AIOKafkaConsumer, part: TopicPartition, offset: int) -> None:
    """Have a consumer that runs in another thread read on from an offset, if it has the partition.

    Called from here, `seek` would take records away under that thread's reading.
    """

    def seek() -> None:
        with suppress(IllegalStateError):
            consumer.seek(part, offset)

    consumer._loop.call_soon_threadsafe(seek)


async def partitions_of(consumer: AIOKafkaConsumer, topic: str) -> frozenset[int]:
    """Return the partitions of a topic that the consumer is not subscribed to; none, if missing."""
    cluster = await consumer._client.fetch_all_metadata()
    return frozenset(cluster.partitions_for_topic(topic) or ())


async def close_by_hand(producer: AIOKafkaProducer) -> None:
    """Close a producer without its farewell, which would wait for rows that cannot be sent."""
    producer._closed = True
    await producer._sender.close()
    await producer.client.close()
