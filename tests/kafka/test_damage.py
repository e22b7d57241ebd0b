"""Rows that cannot be read: their batch stands alone, the others run, and nothing is passed over.

F37 to F40 oddities set aside with their bytes · F42 damaged batch · F43 flood of unreadable rows ·
F44 dead letters that cannot be written
"""

import asyncio
import mmap
import signal
from pathlib import Path

import pytest

from schemas.mark import Mark
from schemas.rejection import Rejection
from streams.address import Topics
from streams.kafka.flood import FloodLimits
from streams.kafka.sink import KafkaSink
from streams.pace import now
from streams.scoring.books import Books
from streams.scoring.tallying import Tallying
from tests.fakes import NOON
from tests.kafka.broker import running
from tests.kafka.cluster_admin import (
    make_all,
    make_topics,
    names_of,
    producer_of,
    put,
    read_all,
)
from tests.kafka.member import connection_of, everything, member
from tests.kafka.processes import traces
from tests.kafka.waiting import eventually
from tests.kafka.worker import INTAKE

pytestmark = pytest.mark.service


def flip(folder: Path, topic: str, value: bytes) -> None:
    """Turn the first byte of a value over, where it lies on the broker's disk."""
    for segment in folder.glob(f"data*/{topic}-0/*.log"):
        with segment.open("r+b") as file, mmap.mmap(file.fileno(), 0) as bytes_:
            at = bytes_.find(value)
            if at >= 0:
                bytes_[at] ^= 0xFF
                return
    raise AssertionError("the value is not on the disk")


async def test_a_damaged_batch_stops_its_partition_there_and_no_other(
    tmp_path: Path, topics: Topics
) -> None:
    """F42: the rows before it come, other partitions run, and after a repair the rest comes."""
    async with running(tmp_path) as cluster:
        kafka = cluster.address
        await make_all(kafka, topics, partitions=2)
        for first in (0, 5, 10):  # a batch each
            await put(kafka, topics.traces, [b"row-%03d" % n for n in range(first, first + 5)])
        flip(tmp_path, topics.traces, b"row-007")
        await put(kafka, topics.traces, traces(300), partition=1)

        async with member(connection_of(kafka), topics) as one:
            await eventually(lambda: one.source.incidents.counts["batch_unreadable"] == 1)
            await eventually(lambda: sum(place[0] == 1 for place in one.places) == 300)
            await put(kafka, topics.traces, traces(5, first=300), partition=1)
            await eventually(lambda: sum(place[0] == 1 for place in one.places) == 305)
            assert [offset for number, offset in one.places if number == 0] == list(range(5))
            assert one.source.progress()[0].next == 5

            flip(tmp_path, topics.traces, damaged(b"row-007"))
            one.source._lookout.try_damaged_again()
            await eventually(lambda: sum(place[0] == 0 for place in one.places) == 15)
            assert [offset for number, offset in one.places if number == 0] == list(range(15))


def damaged(value: bytes) -> bytes:
    """Return what `flip` makes of a value."""
    return bytes([value[0] ^ 0xFF]) + value[1:]


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
async def test_every_codec_just_works(kafka: str, topics: Topics, codec: str) -> None:
    await make_all(kafka, topics)
    await put(kafka, topics.traces, traces(50), compression_type=codec)

    async with member(connection_of(kafka), topics) as one:
        await eventually(lambda: [row.value for row in one.rows] == traces(50))


ODDITIES: list[tuple[bytes | None, bytes | None]] = [
    (None, b"key"),  # F37: a tombstone
    (b"", None),
    (b"not json", b""),
    (b"[1, 2]", b"key"),  # F38
    (b'{"schema":"streamgauge.trace/9","trace_id":"t"}', b"key"),
    (b"[" * 100_000, b"key"),  # F39
    (b'{"trace_id":"t","service":"s","n":' + b"9" * 5000 + b"}", b"key"),
    (b'{"trace_id":"t","service":"s","n":NaN}', b"key"),  # F40
    (b'{"trace_id":"t","trace_id":"u","service":"s"}', b"key"),
    ("{}".encode("utf-16"), b"key"),
    (b'{"trace_id":"\xff"}', b"\xff"),
    (b'{"trace_id":"\\ud800","service":"s"}', b"key"),
]


async def test_oddities_are_set_aside_with_their_bytes(kafka: str, topics: Topics) -> None:
    """F37 to F40: whatever the bytes, one documented outcome, and they can be read again."""
    await make_all(kafka, topics)
    async with producer_of(kafka) as producer:
        for value, key in ODDITIES:
            await producer.send_and_wait(topics.traces, value, key, 0)

    connection = connection_of(kafka)
    async with member(connection, topics, opens=everything) as one:
        await eventually(lambda: len(one.rows) == len(ODDITIES))
        async with KafkaSink(connection, topics, "g", "0") as sink:
            for row in one.rows:
                rejection = INTAKE.decode(row)
                assert isinstance(rejection, Rejection)
                await sink.reject(row, rejection, at=NOON)
                one.source.done(row)
        assert one.source.progress()[0].next == len(ODDITIES)

    dead = await read_all(kafka, topics.dead)
    assert [(row.value, row.key) for row in dead] == ODDITIES
    assert all(dict(row.headers)["streamgauge-reason"] for row in dead)


async def test_a_dead_letter_that_is_too_large_is_named_without_its_bytes(
    kafka: str, topics: Topics
) -> None:
    """F44"""
    await make_topics(kafka, [topics.dead], max_message_bytes="5000")
    await make_topics(kafka, [name for name in names_of(topics) if name != topics.dead])
    await put(kafka, topics.traces, [b"x" * 10_000])

    connection = connection_of(kafka)
    async with member(connection, topics, opens=everything) as one:
        await eventually(lambda: len(one.rows) == 1)
        async with KafkaSink(connection, topics, "g", "0") as sink:
            await sink.reject(one.rows[0], Rejection("not_json", "byte 0"), at=NOON)

    (letter,) = await read_all(kafka, topics.dead)
    assert not letter.value
    assert dict(letter.headers)["streamgauge-origin"].startswith(topics.traces.encode())


async def test_dead_letters_that_cannot_be_written_are_waited_for_and_not_dropped(
    tmp_path: Path, topics: Topics
) -> None:
    """F44 with I1: the row stays open until its letter is there."""
    async with running(tmp_path) as cluster:
        kafka = cluster.address
        await make_all(kafka, topics)
        await put(kafka, topics.traces, [b"not json"])

        connection = connection_of(kafka)
        async with member(connection, topics, opens=everything) as one:
            await eventually(lambda: len(one.rows) == 1)
            async with KafkaSink(connection, topics, "g", "0") as sink:
                cluster.signal(1, signal.SIGKILL)
                setting_aside = asyncio.create_task(
                    sink.reject(one.rows[0], Rejection("not_json", "byte 0"), at=NOON)
                )
                await asyncio.wait({setting_aside}, timeout=2)
                assert not setting_aside.done()
                assert one.source.progress()[0].next == 0

                cluster.start(1)
                await setting_aside

        assert [letter.value for letter in await read_all(kafka, topics.dead)] == [b"not json"]


async def test_a_flood_of_unreadable_rows_stops_its_partition_and_moves_no_offset_past_them(
    kafka: str, topics: Topics
) -> None:
    """F43: 100 % poison; what was set aside is bounded, and the rest comes again later."""
    await make_all(kafka, topics, partitions=2)
    await put(kafka, topics.traces, [b"poison"] * 2000)
    await put(kafka, topics.traces, traces(10), partition=1)

    connection = connection_of(kafka)
    async with member(connection, topics, opens=everything) as one:
        await eventually(lambda: sum(place[0] == 1 for place in one.places) == 10)
        await eventually(lambda: sum(place[0] == 0 for place in one.places) >= 500)
        async with KafkaSink(connection, topics, "g", "0", one.source.rejected) as sink:
            for row in list(one.rows):
                if row.partition == 0 and await one.source.owns(row):
                    await sink.reject(row, Rejection("not_json", "byte 0"), at=NOON)
                    one.source.done(row)
            books = Books(Tallying(lambda *_: {}, now), one.source, sink, "w")
            await books.beat(now())
            await books.beat(now())

        marks = [
            Mark.model_validate_json(r.value or b"") for r in await read_all(kafka, topics.marks)
        ]
        assert [sorted(mark.partitions) for mark in marks] == [[0, 1], [1]] * 2  # then it is missed
        letters = len(await read_all(kafka, topics.dead))
        assert letters == FloodLimits().run
        assert one.source.progress()[0].next == letters
        assert {n: at.stands for n, at in one.source.progress().items()} == {0: True, 1: False}
        assert one.source.incidents.counts["rejections_flood"] == 1
        await put(kafka, topics.traces, traces(1), partition=1)
        await eventually(lambda: (1, 10) in one.places)
