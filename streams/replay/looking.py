"""The rows of a run without taking any: they are looked at, and nobody's place is moved on."""

from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence

from streams.glance import Glance
from streams.ports import Record
from streams.replay.window import EVER
from streams.subscription import Bounds


async def looked_at(
    glance: Glance, topic: str, bounds: Mapping[int, Bounds], window: tuple[int, int] = EVER
) -> AsyncIterator[Sequence[Record]]:
    """Yield the rows between the bounds of which the records say that they are of `window`."""
    since = max(0, window[0])
    for partition, at in bounds.items():
        if at.start >= at.end:
            continue
        async for rows in within(_until(glance, topic, partition, since, at.end), bounds, window):
            yield rows


async def within(
    batches: AsyncIterable[Sequence[Record]],
    bounds: Mapping[int, Bounds],
    window: tuple[int, int] = EVER,
) -> AsyncIterator[Sequence[Record]]:
    """Yield what of each batch is between the bounds of its partition, and of `window`."""
    begin, end = window
    async for batch in batches:
        found = [
            record
            for record in batch
            if (at := bounds.get(record.partition)) is not None
            and at.start <= record.offset < at.end
            and begin <= record.timestamp < end
        ]
        if found:
            yield found


async def _until(
    glance: Glance, topic: str, partition: int, since: int, end: int
) -> AsyncIterator[Sequence[Record]]:
    """Yield a partition's records up to an offset, and no more stretches behind it."""
    async for batch in glance.onwards(topic, partition, since=since):
        yield batch
        if batch and batch[-1].offset >= end - 1:
            return
