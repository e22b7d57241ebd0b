"""Rows for a source, and what the pipeline does with those that it hands out."""

from collections.abc import Callable, Sequence

from streams.ports import Record, Source
from tests.streams.ports.log import Row


def rows(count: int, *, first: int = 0) -> list[Row]:
    return [Row(b'{"n":%d}' % n) for n in range(first, first + count)]


def nothing(record: Record) -> bool:
    return False


def everything(record: Record) -> bool:
    return True


async def decide(
    source: Source, batch: Sequence[Record], *, work: Callable[[Record], bool] = nothing
) -> None:
    """Do with a batch what the pipeline does: open what has work, pass it, seal its tallies."""
    for record in batch:
        if work(record):
            source.open(record)
    source.passed(batch)
    seal(source, batch)


def seal(source: Source, batch: Sequence[Record]) -> None:
    last = batch[-1]
    source.seal(last.partition, to=last.offset + 1, epoch=last.epoch)


async def take(
    source: Source, *, work: Callable[[Record], bool] = nothing, tallied: bool = True
) -> list[Record]:
    """Read a bounded source to its end; the rows that have work stay open."""
    found: list[Record] = []
    async for batch in source.batches():
        for record in batch:
            if work(record):
                source.open(record)
        source.passed(batch)
        if tallied:
            seal(source, batch)
        found += batch
    return found


def offsets(records: Sequence[Record], *, partition: int = 0) -> list[int]:
    return [record.offset for record in records if record.partition == partition]
