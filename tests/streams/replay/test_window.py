"""Rows between two times: the others are passed over, and nothing is committed too early."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from streams.ports import Progress, Record
from streams.replay.window import EVER, Windowed
from streams.subscription import Bounds
from streams.tracker import Assignment, Tracker

BATCH = 3


@dataclass
class LogOfTimes:
    """A source of one partition whose rows bear these times."""

    times: Sequence[int]
    tracker: Tracker = field(default_factory=lambda: Tracker(0))
    mine: Assignment = field(default_factory=Assignment)

    def __post_init__(self) -> None:
        self.mine.trackers[0] = self.tracker

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        rows = [Record("t", 0, n, None, b"{}", at) for n, at in enumerate(self.times)]
        for begin in range(0, len(rows), BATCH):
            batch = rows[begin : begin + BATCH]
            self.tracker.hand_out(batch[-1].offset)
            yield batch

    def open(self, record: Record) -> None:
        self.mine.open(record)

    def passed(self, batch: Sequence[Record]) -> None:
        self.mine.passed(batch)

    def done(self, record: Record) -> None:
        self.mine.done(record)

    async def owns(self, record: Record) -> bool:
        return self.mine.holds(record)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        self.mine.seal(partition, to=to, epoch=epoch)

    def progress(self) -> Mapping[int, Progress]:
        return self.mine.progress({0: len(self.times) + 5})

    @property
    def partitions(self) -> int:
        return 1

    def stop(self) -> None:
        """End: it ends by itself."""


TIMES = st.lists(st.integers(0, 9), min_size=1, max_size=30)


@given(TIMES, st.integers(0, 9), st.integers(0, 10))
async def test_exactly_the_rows_of_the_window_are_handed_out(
    times: list[int], begin: int, end: int
) -> None:
    windowed = Windowed(LogOfTimes(times), {0: Bounds(0, len(times))}, (begin, end))

    found = [record.offset async for batch in windowed.batches() for record in batch]

    assert found == [n for n, at in enumerate(times) if begin <= at < end]


@settings(max_examples=300)
@given(TIMES, st.integers(0, 9), st.integers(0, 10), st.data())
async def test_nothing_is_committed_before_its_tally_is_and_at_the_end_all_is(
    times: list[int], begin: int, end: int, data: st.DataObject
) -> None:
    source = LogOfTimes(times)
    windowed = Windowed(source, {0: Bounds(0, len(times))}, (begin, end))
    counted = sealed = 0
    async for batch in windowed.batches():
        if data.draw(st.booleans()):  # a block ends before this batch is counted
            windowed.seal(0, to=counted, epoch=0)
            sealed = counted
        for record in batch:
            windowed.open(record)
        windowed.passed(batch)
        counted = batch[-1].offset + 1
        unsealed = [n for n, at in enumerate(times) if sealed <= n < counted and begin <= at < end]
        for record in batch:
            windowed.done(record)

        assert source.tracker.committed <= min(unsealed)
    windowed.seal(0, to=counted, epoch=0)

    assert source.tracker.committed == len(times)


async def test_a_partition_ends_where_its_bounds_do() -> None:
    source = LogOfTimes([1, 2, 3, 4])
    windowed = Windowed(source, {0: Bounds(0, 4)}, EVER)

    before = windowed.progress()[0]
    async for batch in windowed.batches():
        windowed.passed(batch)

    assert (before.next, before.end) == (0, 4)
    assert windowed.progress()[0].next == windowed.progress()[0].end == 4


async def test_whoever_ends_a_run_hears_of_a_stop() -> None:
    heard: list[str] = []
    windowed = Windowed(LogOfTimes([1]), {0: Bounds(0, 1)}, ending=lambda: heard.append("stop"))

    windowed.stop()

    assert heard == ["stop"]
