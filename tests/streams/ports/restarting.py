"""What comes again after a restart or a kill, whatever the adapter."""

from tests.streams.ports.driving import everything, offsets, rows, take
from tests.streams.ports.log import Log
from tests.streams.ports.messages import a_score, a_tally


class RestartSuite:
    """What comes again after a restart or a kill, and what is known of it."""

    async def test_what_is_done_and_tallied_does_not_come_again(self, log: Log) -> None:
        await log.make(partitions=2)
        await log.put(rows(300), partition=0)
        await log.put(rows(3), partition=1)
        async with log.source() as source:
            for record in await take(source, work=lambda r: r.offset % 100 == 0):
                source.done(record)
        await log.put(rows(1, first=300))

        async with log.source() as source:
            found = await take(source)

        assert [(record.partition, record.offset) for record in found] == [(0, 300)]

    async def test_an_open_row_comes_again_and_what_is_done_behind_it_comes_as_finished(
        self, log: Log
    ) -> None:
        await log.make(partitions=1)
        await log.put(rows(10))
        async with log.source() as source:
            found = await take(source, work=lambda r: r.offset in {2, 5, 7})
            source.done(found[7])

        async with log.source() as source:
            again = await take(source)

        assert {r.offset for r in again if not r.finished} == {2, 5}
        assert {r.offset for r in again if r.finished} >= {3, 4, 6, 7, 8, 9}

    async def test_only_ends_of_tallied_blocks_are_committed(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(10))
        async with log.source() as source:
            found = await take(source, work=everything, tallied=False)
            for record in found:
                source.done(record)
            source.seal(0, to=4, epoch=found[0].epoch)

        async with log.source() as source:
            again = await take(source)

        assert [(r.offset, r.finished) for r in again] == [(at, True) for at in range(4, 10)]

    async def test_rows_may_finish_in_any_order(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(20))
        async with log.source() as source:
            for record in reversed(await take(source, work=everything)):
                source.done(record)

            assert source.progress()[0][:2] == (20, 20)

        async with log.source() as source:
            assert await take(source) == []

    async def test_a_kill_before_any_commit_loses_nothing(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(10))
        async with log.source() as source:
            await take(source, work=everything)
            await log.kill(source)

        async with log.source() as source:
            again = await take(source)

        assert offsets(again) == list(range(10))
        assert not any(record.finished for record in again)

    async def test_a_kill_after_a_commit_keeps_what_was_committed(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(10))
        async with log.source() as source:
            found = await take(source, work=everything)
            for record in found[:4]:
                source.done(record)
            source.done(found[8])
            await source.commit()
            source.done(found[4])
            await log.kill(source)

        async with log.source() as source:
            again = await take(source)

        assert {r.offset for r in again if not r.finished} == {4, 5, 6, 7, 9}

    async def test_a_verdict_published_before_a_kill_is_known_after_it(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(4))
        async with log.source() as source, log.sink() as sink:
            await take(source, work=everything)
            await source.commit()
            await sink.publish([a_score(offset=2, event_id="e1"), a_tally()])
            await sink.publish([a_score(offset=2, event_id="e2", service="other")])
            await sink.publish([a_score(offset=3, partition=5, event_id="e3")])
            await log.kill(source)

        async with log.source() as source:
            again = await take(source)

        assert {r.offset: r.published for r in again if r.published} == {2: {"e1", "e2"}}

    async def test_a_published_verdict_is_known_after_two_kills_and_a_long_time(
        self, log: Log
    ) -> None:
        await log.make(partitions=1)
        await log.put(rows(4))
        async with log.source() as source, log.sink() as sink:
            await take(source, work=everything)
            await sink.publish([a_score(offset=2, event_id="e1")])
            await log.kill(source)
        async with log.source(minute=120) as source:
            found = await take(source, work=everything)
            source.done(found[0])
            await source.commit()
            await log.kill(source)

        async with log.source(minute=240) as source:
            again = await take(source)

        assert {r.offset: r.published for r in again if r.published} == {2: {"e1"}}

    async def test_a_verdict_published_shortly_before_the_last_commit_is_known(
        self, log: Log
    ) -> None:
        await log.make(partitions=1)
        await log.put(rows(4))
        async with log.source(minute=2) as source, log.sink() as sink:
            found = await take(source, work=everything)
            await sink.publish([a_score(offset=2, event_id="e1")])
            source.done(found[0])
            await source.commit()
            await log.kill(source)

        async with log.source(minute=2) as source:
            again = await take(source)

        assert {r.offset: r.published for r in again if r.published} == {2: {"e1"}}

    async def test_a_verdict_of_a_replay_is_not_a_live_one(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put(rows(1))
        async with log.source() as source, log.sink() as sink:
            await take(source, work=everything)
            replayed = a_score().model_copy(update={"mode": "replay", "run": "r"})
            await sink.publish([replayed])

        async with log.source() as source:
            (again,) = await take(source)

        assert again.published == frozenset()
