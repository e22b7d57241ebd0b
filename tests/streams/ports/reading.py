"""What every source must hand out, and where a group begins."""

from datetime import timedelta

from tests.fakes import NOON
from tests.streams.ports.driving import decide, offsets, rows, take
from tests.streams.ports.log import AT, Log, Row


class ReadingSuite:
    """What a source hands out, and where a group begins."""

    async def test_rows_come_in_order_of_offset_within_their_partition(self, log: Log) -> None:
        await log.make(partitions=2)
        await log.put(rows(600), partition=0)
        await log.put(rows(5), partition=1)

        async with log.source() as source:
            found = await take(source)

        assert offsets(found, partition=0) == list(range(600))
        assert offsets(found, partition=1) == list(range(5))
        assert [r.value for r in found if r.partition == 1] == [row.value for row in rows(5)]

    async def test_a_batch_is_of_one_partition_and_not_large(self, log: Log) -> None:
        await log.make(partitions=2)
        await log.put(rows(1500), partition=0)
        await log.put(rows(5), partition=1)

        batches = []
        async with log.source() as source:
            async for batch in source.batches():
                batches.append(batch)
                await decide(source, batch)

        assert all(len({record.partition for record in batch}) == 1 for batch in batches)
        assert max(len(batch) for batch in batches) <= 512

    async def test_a_long_partition_does_not_make_the_others_wait(self, log: Log) -> None:
        await log.make(partitions=2)
        await log.put(rows(3000), partition=0)
        await log.put(rows(5), partition=1)

        async with log.source() as source:
            found = await take(source)

        order = [record.partition for record in found]
        assert order.index(1) <= 512

    async def test_a_row_keeps_its_bytes_key_headers_and_time(self, log: Log) -> None:
        await log.make(partitions=1)
        written = [
            Row(b'{"q": "\xc3\xbc", "n":1.50}', b"0af7", (("traceparent", b"00-1"),), AT + 7),
            Row(b"not json \xff\x00", b"\xfe\xff", (("a", b"1"), ("a", b"\xff2")), AT + 1),
            Row(b'{"pretty":\n 1}', None, (), AT),
            Row(b'["an", "array"]', b"", (), AT),
        ]
        await log.put(written)

        async with log.source() as source:
            found = await take(source)

        assert [Row(r.value, r.key, r.headers, r.timestamp) for r in found] == written

    async def test_a_row_without_a_value_is_a_row(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put([Row(None, b"k")])

        async with log.source() as source:
            (found,) = await take(source)

        assert (found.key, found.value) == (b"k", None)

    async def test_rows_of_one_topic_name_its_incarnation(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(2))

        async with log.source() as source:
            found = await take(source)

        assert len({record.topic_id for record in found}) == 1
        assert len(found[0].topic_id) == 22

    async def test_an_unbounded_source_yields_what_comes_later_until_it_is_stopped(
        self, log: Log
    ) -> None:
        await log.make(partitions=1)
        await log.put(rows(1))

        async with log.source(end_at_end=False) as source:
            batches = aiter(source.batches())
            first = await anext(batches)
            await decide(source, first)
            await log.put(rows(1, first=1))
            second = await anext(batches)
            await decide(source, second)
            source.stop()
            rest = [batch async for batch in batches]

        assert [record.value for record in (*first, *second)] == [b'{"n":0}', b'{"n":1}']
        assert rest == []

    async def test_a_new_group_may_begin_at_the_end(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(3))

        async with log.source(start="latest", end_at_end=False) as source:
            await log.put(rows(1, first=3))
            found = await anext(aiter(source.batches()))

        assert offsets(found) == [3]

    async def test_where_a_new_group_began_is_kept_even_if_it_did_nothing(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(3))
        async with log.source(start="latest"):
            pass
        await log.put(rows(2, first=3))

        async with log.source(start="latest") as source:
            found = await take(source)

        assert offsets(found) == [3, 4]

    async def test_a_new_group_may_begin_at_a_time(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put([Row(b"{}", timestamp=AT + 60_000 * minute) for minute in range(5)])

        async with log.source(start=NOON + timedelta(minutes=2, seconds=30)) as source:
            found = await take(source)

        assert offsets(found) == [3, 4]
