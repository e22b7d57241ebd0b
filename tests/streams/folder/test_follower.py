from pathlib import Path

import pytest

from streams.folder.follower import Follower, follow, follow_file, follow_new
from streams.folder.lock import LockedError
from streams.folder.topic import read
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record


def a_topic(root: Path, topic: str, *, partitions: int = 1, rows: int = 0) -> TopicWriter:
    writer = TopicWriter.open(root, topic, partitions=partitions)
    for partition in range(partitions):
        writer.append(partition, entries(rows))
    return writer


def entries(rows: int) -> list[Entry]:
    return [Entry(b"k", b'{"n":%d}' % n, n) for n in range(rows)]


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def all_of(follower: Follower) -> list[Record]:
    return [record async for batch in follower.batches() for record in batch]


async def test_every_record_of_all_topics_comes_in_order_within_its_partition(
    tmp_path: Path,
) -> None:
    a_topic(tmp_path, "scores", partitions=2, rows=600).close()
    a_topic(tmp_path, "marks", partitions=2, rows=3).close()

    found = await all_of(follow(tmp_path, ["scores", "marks"], end_at_end=True))

    assert len(found) == 1206
    for topic, rows in (("scores", 600), ("marks", 3)):
        for partition in range(2):
            own = [r for r in found if (r.topic, r.partition) == (topic, partition)]
            assert [r.offset for r in own] == list(range(rows))
            assert len({r.topic_id for r in own}) == 1


async def test_topics_that_are_not_there_yet_are_waited_for(tmp_path: Path) -> None:
    follower = follow(tmp_path, ["scores"])
    looks = 0

    async def sleep(seconds: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 2:
            a_topic(tmp_path, "scores", rows=1).close()

    follower.sleep = sleep
    batches = aiter(follower.batches())

    (found,) = await anext(batches)
    follower.stop()

    assert (found.topic, found.offset) == ("scores", 0)
    assert [batch async for batch in batches] == []


async def test_only_what_comes_from_now_on_is_read_where_that_is_asked_for(tmp_path: Path) -> None:
    writer = a_topic(tmp_path, "scores", rows=300)
    follower = follow_new(tmp_path, ["scores", "marks"])
    looks = 0

    async def sleep(seconds: float) -> None:
        nonlocal looks
        looks += 1
        if looks == 1:
            writer.append(0, entries(2))
            a_topic(tmp_path, "marks", rows=1).close()

    follower.sleep = sleep
    batches = aiter(follower.batches())
    found = [await anext(batches), await anext(batches)]
    writer.close()

    offsets = [(record.topic, record.offset) for batch in found for record in batch]
    assert sorted(offsets) == [("marks", 0), ("scores", 300), ("scores", 301)]


async def test_reading_to_the_end_ends_at_what_was_there(tmp_path: Path) -> None:
    writer = a_topic(tmp_path, "scores", rows=300)
    follower = follow(tmp_path, ["scores"], end_at_end=True)
    found: list[Record] = []

    async for batch in follower.batches():
        found += batch
        writer.append(0, entries(10))
    writer.close()

    assert len(found) == 300


async def test_an_empty_folder_ends_at_once(tmp_path: Path) -> None:
    assert await all_of(follow(tmp_path / "none", ["scores"], end_at_end=True)) == []
    assert not (tmp_path / "none").exists()


async def test_a_follower_keeps_no_books(tmp_path: Path) -> None:
    a_topic(tmp_path, "scores", rows=1).close()
    follower = follow(tmp_path, ["scores"], end_at_end=True)

    (record,) = await all_of(follower)
    follower.open(record)
    follower.passed([record])
    follower.done(record)
    follower.seal(0, to=1, epoch=0)

    assert await follower.owns(record)
    assert follower.progress() == {}
    assert not (tmp_path / ".groups").exists()


async def test_one_file_is_read_without_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"trace_id":"a"}\n{"trace_id":"b"}')

    found = await all_of(follow_file(file, "rag.traces"))

    assert [(r.topic, r.partition, r.offset, r.value) for r in found] == [
        ("rag.traces", 0, 0, b'{"trace_id":"a"}'),
        ("rag.traces", 0, 1, b'{"trace_id":"b"}'),
    ]
    assert names(tmp_path) == ["rows.jsonl"]


def test_a_topic_is_read_once_or_one_row_of_it(tmp_path: Path) -> None:
    a_topic(tmp_path, "alerts", partitions=2, rows=300).close()

    assert [r.partition for r in read(tmp_path, "alerts")] == [0] * 300 + [1] * 300
    assert next(read(tmp_path, "alerts", partition=1, offset=290)).value == b'{"n":290}'
    assert list(read(tmp_path, "alerts", partition=2)) == []
    assert list(read(tmp_path, "nothing")) == []


def test_a_topic_has_one_writer(tmp_path: Path) -> None:
    writer = a_topic(tmp_path, "scores")

    with pytest.raises(LockedError, match="topic scores is in use by process"):
        TopicWriter.open(tmp_path, "scores")

    writer.close()
    TopicWriter.open(tmp_path, "scores").close()


def test_a_gap_between_partitions_is_filled(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "2.jsonl").touch()

    writer = TopicWriter.open(tmp_path, "t")
    writer.close()

    assert writer.partitions == 3
