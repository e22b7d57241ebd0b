"""What every adapter of the ports must do: one suite, run against the folder log and Kafka.

An adapter's test module makes a subclass of `PortsSuite` and gives it a fixture `log`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

import pytest

from schemas.mark import Mark, Standing
from schemas.rejection import Rejection
from schemas.score import (
    JudgeRef,
    NotScorable,
    Origin,
    SamplingRef,
    ScoreEvent,
    ScorerRef,
    TraceRef,
)
from schemas.tally import Block, Tally
from schemas.wire import from_milliseconds, to_milliseconds
from streams.address import Topics
from streams.ports import Progress, Record, Sink, Source
from streams.tracker import SPAN
from tests.fakes import NOON

AT = to_milliseconds(NOON)
TOPICS = Topics()
Start = str | datetime


class Row(NamedTuple):
    """A row as a producer writes it."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    timestamp: int = AT


class CommittingSource(Source, Protocol):
    """A source that can be asked to commit now: else a test would have to wait for its clock."""

    async def commit(self) -> None: ...


class Log(Protocol):
    """One log, with no topics at the beginning of a test."""

    async def make(self, *, partitions: int) -> None:
        """Make the traces and the scores topic."""

    async def put(self, rows: Sequence[Row], *, partition: int = 0) -> None:
        """Write rows to a partition of the traces topic, as a producer would."""

    def source(
        self, *, start: Start = "earliest", end_at_end: bool = True, minute: int = 0
    ) -> AbstractAsyncContextManager[CommittingSource]:
        """Read the traces topic for the group of the test, so many minutes after noon.

        Entry settles where a group begins.
        """

    def sink(self) -> AbstractAsyncContextManager[Sink]:
        """Write to our topics."""

    async def read(self, topic: str) -> list[Record]:
        """Return all that a topic has, partition after partition."""

    async def kill(self, life: CommittingSource) -> None:
        """Let the life end as kill -9 would: what it had not written is gone."""


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


def a_score(
    *, partition: int = 0, offset: int = 0, event_id: str = "e", service: str = "shop"
) -> ScoreEvent:
    return ScoreEvent(
        event_id=event_id,
        trace=TraceRef(trace_id="t", service=service, environment="production", answered_at=NOON),
        scorer=ScorerRef(name="faithfulness", version="1"),
        judge=JudgeRef(name="rules", version="1"),
        config_hash="c",
        series="c",
        outcome=NotScorable(reason="undecided"),
        sampling=SamplingRef(probability=0.5, stratum="base", by="body"),
        scored_at=NOON,
        origin=Origin(
            topic=TOPICS.traces, partition=partition, offset=offset, timestamp=from_milliseconds(AT)
        ),
    )


def a_tally(*, to: int = 1, service: str = "shop") -> Tally:
    source = Block(topic=TOPICS.traces, partition=0, from_=0, to=to, epoch=1)
    return Tally(source=source, assistant=f"{service}/production", minute=NOON, at=NOON)


def a_mark() -> Mark:
    return Mark(worker="w", at=NOON, of=1, partitions={0: Standing(next=1, end=1, epoch=1)})


class PortsSuite:
    """The behaviours. Each begins on an empty log."""

    @pytest.fixture
    def log(self) -> Log:
        raise NotImplementedError("an adapter's test module gives its own")

    # Reading

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

    # Where a group begins

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

    # What a restart sees

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

    # Whose rows they are

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
            assert source.holds(before)
        assert not source.holds(before)

        async with log.source() as source:
            (now,) = await take(source, work=everything)
            source.done(before)

            assert source.holds(now)
            assert not source.holds(before)
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

    # Writing

    async def test_an_assistants_scores_and_tallies_are_together_and_in_order(
        self, log: Log
    ) -> None:
        await log.make(partitions=3)
        async with log.sink() as sink:
            for n in range(8):
                await sink.publish(
                    [a_score(event_id=f"e{n}", service=f"s{n % 4}"), a_tally(service=f"s{n % 4}")]
                )

        found = await log.read(TOPICS.scores)

        assert len(found) == 16
        for service in range(4):
            key = f"s{service}/production".encode()
            own = [record for record in found if record.key == key]
            assert len({record.partition for record in own}) == 1
            ids = [i.decode() for r in own if (i := dict(r.headers).get("streamgauge-event-id"))]
            assert ids == [f"e{service}", f"e{service + 4}"]

    async def test_a_message_lies_on_its_topic_as_it_was_sent(self, log: Log) -> None:
        await log.make(partitions=1)
        score = a_score()
        async with log.sink() as sink:
            await sink.publish([score])

        (found,) = await log.read(TOPICS.scores)

        assert found.value == score.to_json()
        assert dict(found.headers)["streamgauge-origin"] == b"rag.traces/0/0/%d" % AT

    async def test_each_partition_gets_a_mark_with_its_own_end_of_scores(self, log: Log) -> None:
        await log.make(partitions=3)
        async with log.sink() as sink:
            await sink.publish([a_score(service=f"s{n}") for n in range(10)])
            await sink.mark(a_mark())

        ends = {0: 0, 1: 0, 2: 0}
        for record in await log.read(TOPICS.scores):
            ends[record.partition] = record.offset + 1
        marks = await log.read(TOPICS.marks)
        copies = {r.partition: Mark.model_validate_json(r.value or b"") for r in marks}
        assert {partition: mark.scores for partition, mark in copies.items()} == ends
        assert sum(ends.values()) == 10
        assert all(mark.model_copy(update={"scores": 0}) == a_mark() for mark in copies.values())

    async def test_a_dead_letter_keeps_its_bytes_key_and_headers(self, log: Log) -> None:
        await log.make(partitions=1)
        await log.put([Row(b"\xff{not json", b"\xfek", (("h", b"1"), ("h", b"\xff")))])
        async with log.source() as source, log.sink() as sink:
            (record,) = await take(source, work=everything)
            await sink.reject(record, Rejection("not_utf8", "byte 0"), at=NOON)
            source.done(record)

        (dead,) = await log.read(TOPICS.dead)

        assert (dead.key, dead.value) == (record.key, record.value)
        assert [value for name, value in dead.headers if name == "original-h"] == [b"1", b"\xff"]
        assert dict(dead.headers)["streamgauge-reason"] == b"not_utf8"
        assert dict(dead.headers)["streamgauge-origin"] == b"rag.traces/0/0/%d" % AT
