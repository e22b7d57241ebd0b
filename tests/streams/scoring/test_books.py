import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta

import pytest

from streams.ports import Message, Progress
from streams.scoring.books import Books
from streams.scoring.draws import Cell, Draws
from streams.scoring.tallying import Tallying
from tests.fakes import NOON, ListSink, ListSource, a_record, a_trace


class SlowSink(ListSink):
    """Takes its first message only once it is let through."""

    def __init__(self) -> None:
        super().__init__()
        self.reached, self.through = asyncio.Event(), asyncio.Event()

    async def publish(self, messages: Sequence[Message]) -> None:
        self.reached.set()
        await self.through.wait()
        await super().publish(messages)


async def test_a_block_whose_writing_was_cut_off_is_written_before_a_later_one_is_sealed() -> None:
    source, sink = ListSource([a_record(a_trace(), n) for n in range(2)]), SlowSink()
    books = Books(Tallying(lambda *_: {}, lambda: NOON), source, sink, "w")
    draws = Draws({Cell("helpdesk/production", "base", 0): 1}, {}, [0])
    books.tallying.count(source.records[:1], draws)
    first = asyncio.create_task(books.settle(NOON, everything=True))
    await sink.reached.wait()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first

    sink.through.set()
    books.tallying.count(source.records[1:], draws)
    await books.settle(NOON, everything=True)

    assert source.sealed == [1, 2]
    assert [(t.source.from_, t.source.to) for t in sink.tallies] == [(0, 1), (1, 2)]


class StandingSource(ListSource):
    """Has two partitions; those in `standing` are not read on."""

    standing: frozenset[int] = frozenset()

    def progress(self) -> Mapping[int, Progress]:
        return {n: Progress(0, 9, 1, stands=n in self.standing) for n in range(2)}


async def test_marks_fall_silent_on_a_partition_that_stands_and_go_on_with_the_others() -> None:
    source, sink = StandingSource([]), ListSink()
    books = Books(Tallying(lambda *_: {}, lambda: NOON), source, sink, "w")
    await books.beat(NOON)

    source.standing = frozenset({1})
    await books.beat(NOON + timedelta(seconds=5))
    source.standing = frozenset()
    await books.beat(NOON + timedelta(seconds=10))

    assert [sorted(mark.partitions) for mark in sink.marks] == [[0, 1], [0], [0, 1]]


async def test_a_partition_that_stands_from_the_start_is_marked_once_so_that_it_is_missed() -> None:
    source, sink = StandingSource([]), ListSink()
    source.standing = frozenset({1})
    books = Books(Tallying(lambda *_: {}, lambda: NOON), source, sink, "w")

    await books.beat(NOON)
    await books.beat(NOON + timedelta(seconds=5))

    assert [sorted(mark.partitions) for mark in sink.marks] == [[0, 1], [0]]
