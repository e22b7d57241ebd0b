from collections.abc import Mapping
from pathlib import Path

from schemas.wire import to_milliseconds
from streams.folder.follower import follow_file
from streams.folder.glance import FolderGlance
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record
from streams.replay.looking import looked_at, within
from streams.replay.window import EVER
from streams.subscription import Bounds
from tests.fakes import NOON

AT = to_milliseconds(NOON)


def write(root: Path, *, partitions: int, rows: int) -> None:
    writer = TopicWriter.open(root, "rag.traces", partitions=partitions)
    for partition in range(partitions):
        entries = [Entry(None, b'{"n":%d}' % n, AT + n * 1000, ()) for n in range(rows)]
        writer.append(partition, entries)
    writer.close()


async def seen(
    root: Path, bounds: Mapping[int, Bounds], window: tuple[int, int] = EVER
) -> list[Record]:
    found = looked_at(FolderGlance(root), "rag.traces", bounds, window)
    return [record async for batch in found for record in batch]


def places(records: list[Record]) -> list[tuple[int, int]]:
    return [(record.partition, record.offset) for record in records]


def all_of(root: Path) -> list[Path]:
    return sorted(root.rglob("*"))


async def test_rows_between_the_bounds_are_seen_and_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path, partitions=3, rows=6)
    before = all_of(tmp_path)

    found = await seen(tmp_path, {0: Bounds(1, 3), 1: Bounds(4, 4), 2: Bounds(5, 99)})

    assert places(found) == [(0, 1), (0, 2), (2, 5)]
    assert all_of(tmp_path) == before


async def test_rows_of_other_times_are_left_out(tmp_path: Path) -> None:
    write(tmp_path, partitions=1, rows=9)

    found = await seen(tmp_path, {0: Bounds(0, 9)}, (AT + 2_000, AT + 4_000))

    assert places(found) == [(0, 2), (0, 3)]


async def test_a_file_is_seen_as_a_topic_is(tmp_path: Path) -> None:
    write(tmp_path, partitions=1, rows=9)
    file = tmp_path / "rag.traces" / "0.jsonl"

    rows = within(follow_file(file, "rows.jsonl").batches(), {0: Bounds(2, 4)})

    assert [record.offset async for batch in rows for record in batch] == [2, 3]
