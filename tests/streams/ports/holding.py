"""Whose rows they are, whatever the adapter, and how far they have got."""

from streams.ports import Progress, Record
from streams.tracker import SPAN
from tests.streams.ports.driving import decide, everything, offsets, rows, take
from tests.streams.ports.log import Log


class HoldingSuite:
    """Whose rows they are, and how far they have got."""

    async def test_the_epoch_grows_with_each_assignment(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(1))
        epochs = []

        for _ in range(3):
            async with log.source() as source:
                (record,) = await take(source, work=everything)
                epochs.append(record.epoch)
                assert source.progress()[0].epoch == record.epoch

        assert epochs[0] < epochs[1] < epochs[2]

    async def test_a_source_does_not_hold_the_rows_of_an_earlier_life(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(1))
        async with log.source() as source:
            (before,) = await take(source, work=everything)
            assert await source.owns(before)
        assert not await source.owns(before)

        async with log.source() as source:
            (now,) = await take(source, work=everything)
            source.done(before)

            assert await source.owns(now)
            assert not await source.owns(before)
            assert source.progress()[0].next == 0

    async def test_progress_tells_the_first_unfinished_row_and_the_end(self, log: Log) -> None:
        await log.make(partitions=2)
        await log.put(rows(10), partition=1)

        async with log.source() as source:
            found = await take(source, work=lambda r: r.offset == 6)
            progress = source.progress()

        assert progress[0][:2] == (0, 0)
        assert progress[1] == Progress(6, 10, found[0].epoch)
        assert source.partitions == 2

    async def test_no_partition_is_read_further_than_its_map_can_say(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(SPAN + 100))

        async with log.source() as source:
            found: list[Record] = []
            async for batch in source.batches():
                await decide(source, batch, work=lambda r: r.offset == 0)
                found += batch
                if len(found) == SPAN:
                    source.done(found[0])
                assert batch[-1].offset - source.progress()[0].next <= SPAN

        assert offsets(found) == list(range(SPAN + 100))
