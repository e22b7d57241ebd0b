"""What the end of the scores topic says of rows that no commit calls finished.

Only headers are read: a verdict names the row that it is about (`streams.address`).
"""

import asyncio
from collections import defaultdict
from collections.abc import Mapping

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError

from streams.address import published_row
from streams.kafka.connection import Connection
from streams.kafka.innards import partitions_of

STALL_SECONDS = 15.0
"""How long the reading may bring nothing before it is given up."""

Published = dict[int, dict[int, frozenset[str]]]


async def published_since(
    connection: Connection, scores: str, *, since: int, topic: str, mode: bytes
) -> Published:
    """Return the event ids by partition and offset of `topic`, as published from `since` on.

    `since` in milliseconds since 1970. Raises KafkaError or TimeoutError where the topic cannot be
    read to the end that it had at the start.
    """
    reader = connection.reader()
    try:
        await reader.start()
        ends = await _stretch(reader, scores, since=since)
        return _frozen(await _read(reader, ends, topic=topic, mode=mode))
    finally:
        await reader.stop()


async def _stretch(
    reader: AIOKafkaConsumer, scores: str, *, since: int
) -> dict[TopicPartition, int]:
    """Put the reader at the first record not older than `since`; return where each part ends."""
    parts = [TopicPartition(scores, number) for number in await partitions_of(reader, scores)]
    if not parts:
        raise KafkaError(f"the partitions of {scores} cannot be told now")
    begins = await reader.offsets_for_times(dict.fromkeys(parts, max(0, since)))
    ends = await reader.end_offsets(parts)
    stretch = {part: ends[part] for part in parts if begins[part] is not None}
    reader.assign(list(stretch))
    for part in stretch:
        reader.seek(part, begins[part].offset)
    return stretch


async def _read(
    reader: AIOKafkaConsumer, ends: Mapping[TopicPartition, int], *, topic: str, mode: bytes
) -> dict[int, dict[int, set[str]]]:
    found: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    ahead = dict(ends)
    loop = asyncio.get_running_loop()
    stalled_at = loop.time() + STALL_SECONDS
    while ahead:
        for part in list(ahead):
            batch = (await reader.getmany(part, timeout_ms=20)).get(part, [])
            for record in batch:
                if named := published_row(tuple(record.headers), topic=topic, wanted=mode):
                    partition, offset, event_id = named
                    found[partition][offset].add(event_id)
            if await reader.position(part) >= ahead[part]:
                del ahead[part]
            if batch:
                stalled_at = loop.time() + STALL_SECONDS
        if loop.time() > stalled_at:
            raise KafkaError(f"the scores topic brought nothing for {STALL_SECONDS:g} s")
    return found


def _frozen(found: Mapping[int, Mapping[int, set[str]]]) -> Published:
    return {
        number: {offset: frozenset(ids) for offset, ids in rows.items()}
        for number, rows in found.items()
    }
