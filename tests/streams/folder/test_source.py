"""What only a folder does: files that people drop in, that grow, and that are replaced."""

import os
from datetime import datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from streams.folder.lock import LockedError
from streams.folder.source import FolderSource
from streams.ports import Record
from streams.subscription import Subscription
from tests.fakes import NOON
from tests.streams.ports.driving import decide, everything, offsets, take


def now() -> datetime:
    return NOON


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "rag.traces"
    folder.mkdir()
    return folder / "0.jsonl"


def fill(file: Path, content: bytes) -> None:
    file.write_bytes(content)


def make_anew(file: Path, content: bytes) -> None:
    (file.parent / ".topic-id").unlink()
    file.write_bytes(content)


def a_source(file: Path, *, end_at_end: bool = True, max_line: int = 1000) -> FolderSource:
    root = file.parent.parent
    return FolderSource(root, Subscription(end_at_end=end_at_end), now, max_line)


async def read_all(file: Path, *, done: bool = True) -> list[Record]:
    async with a_source(file) as source:
        found = await take(source, work=everything)
        for record in found if done else ():
            source.done(record)
        return found


async def test_a_file_of_bare_rows_can_be_dropped_in(file: Path) -> None:
    fill(file, b'{"trace_id":"a","answered_at":"2026-01-01T12:00:01Z"}\n{"trace_id":"b"}')
    os.utime(file, (1_767_300_000, 1_767_300_000))

    first, second = await read_all(file)

    assert (first.key, first.timestamp) == (None, 1_767_268_801_000)
    assert (second.value, second.timestamp) == (b'{"trace_id":"b"}', 1_767_300_000_000)


async def test_a_bare_row_cannot_be_from_after_its_file_was_written(file: Path) -> None:
    fill(file, b'{"trace_id":"a","answered_at":"2099-01-01T12:00:01Z"}')
    os.utime(file, (1_767_300_000, 1_767_300_000))

    [row] = await read_all(file)

    assert row.timestamp == 1_767_300_000_000


async def test_a_topic_that_nobody_made_is_made_empty(tmp_path: Path) -> None:
    file = tmp_path / "new" / "rag.traces" / "0.jsonl"

    assert await read_all(file) == []
    assert file.read_bytes() == b""


async def test_what_is_no_json_comes_with_its_bytes_and_empty_lines_do_not_come(
    file: Path,
) -> None:
    fill(file, b'{}\n\n  \nbroken {"value": \xff\n{}\n\n')

    found = await read_all(file)

    assert [(r.offset, r.value) for r in found] == [
        (0, b"{}"),
        (3, b'broken {"value": \xff'),
        (4, b"{}"),
    ]
    assert await read_all(file) == []
    assert '"offset":6' in (file.parent.parent / ".groups/streamgauge.json").read_text()


async def test_a_line_beyond_the_limit_comes_cut_so_that_it_can_be_refused(file: Path) -> None:
    fill(file, b'{"a":"' + b"x" * 5000 + b'"}\n{}\n')

    found = await read_all(file)

    assert [len(r.value or b"") for r in found] == [1000, 2]


async def test_a_second_process_of_the_group_is_refused_and_a_later_one_is_not(
    file: Path,
) -> None:
    async with a_source(file):
        with pytest.raises(LockedError, match="group streamgauge is in use by process"):
            async with a_source(file):
                pass

    async with a_source(file):
        pass


async def test_a_source_that_cannot_begin_leaves_its_group(file: Path) -> None:
    (file.parent / ".topic-id").write_text("not an id")
    with pytest.raises(ValueError, match="holds no topic id"):
        await read_all(file)
    (file.parent / ".topic-id").unlink()

    assert await read_all(file) == []


async def test_a_topic_that_was_made_anew_is_read_by_the_start_policy_and_that_is_told(
    file: Path,
) -> None:
    fill(file, b"{}\n" * 5)
    await read_all(file)
    make_anew(file, b"{}\n" * 7)

    with capture_logs() as told:
        found = await read_all(file)

    assert offsets(found) == list(range(7))
    (event,) = [e for e in told if e["event"] == "commit_not_trusted"]
    assert (event["log_level"], event["problem"]) == ("warning", "topic_recreated")
    assert (event["partition"], event["offset"]) == (0, 5)


async def test_a_commit_beyond_the_end_of_the_log_is_told_and_not_used(file: Path) -> None:
    fill(file, b"{}\n" * 5)
    await read_all(file)
    fill(file, b"{}\n" * 3)

    with capture_logs() as told:
        found = await read_all(file)

    assert offsets(found) == [0, 1, 2]
    assert [e["problem"] for e in told if e["event"] == "commit_not_trusted"] == ["beyond_end"]


async def test_a_partition_that_comes_later_is_read_from_its_first_row(file: Path) -> None:
    fill(file, b"{}\n")
    async with a_source(file, end_at_end=False) as source:
        batches = aiter(source.batches())
        await decide(source, await anext(batches))
        fill(file.with_name("1.jsonl"), b"{}\n{}\n")

        found = await anext(batches)

        assert [(r.partition, r.offset, r.epoch) for r in found] == [(1, 0, 1), (1, 1, 1)]
        assert source.partitions == 2


async def test_an_idle_source_waits_longer_and_longer_up_to_a_tenth_of_a_second(
    file: Path,
) -> None:
    pauses: list[float] = []
    source = a_source(file, end_at_end=False)

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 12:
            source.stop()

    async with source:
        source.sleep = sleep
        assert [batch async for batch in source.batches()] == []

    assert pauses[:4] == [0.001, 0.002, 0.004, 0.008]
    assert pauses[-1] == 0.1


async def test_a_commit_is_written_only_when_it_changed(file: Path) -> None:
    fill(file, b"{}\n")
    group = file.parent.parent / ".groups/streamgauge.json"
    async with a_source(file) as source:
        (record,) = await take(source, work=everything)
        before = group.stat().st_ino
        await source.commit()
        assert group.stat().st_ino == before

        source.done(record)
        await source.commit()
        after = group.stat().st_ino
        assert after != before

    assert group.stat().st_ino == after


async def test_a_row_without_a_time_keeps_its_time_when_it_comes_again(file: Path) -> None:
    fill(file, b'{"trace_id":"a"}\n')
    os.utime(file, (1_767_300_000, 1_767_300_000))
    folder = file.parent.parent / ".groups"
    async with a_source(file) as source:
        [first] = await take(source, work=everything)
        as_the_kill_finds_it = (folder / "streamgauge.json").read_bytes()
    (folder / "streamgauge.json").write_bytes(as_the_kill_finds_it)
    fill(file, b'{"trace_id":"a"}\n{"trace_id":"b"}\n')
    os.utime(file, (1_767_300_100, 1_767_300_100))

    again, second = await read_all(file)

    assert (first.timestamp, again.timestamp) == (1_767_300_000_000, 1_767_300_000_000)
    assert second.timestamp == 1_767_300_100_000


async def test_the_end_is_seen_to_move_though_nothing_is_taken(file: Path) -> None:
    fill(file, b'{"trace_id":"a"}\n')
    async with a_source(file, end_at_end=False) as source:
        before = source.progress()[0].end
        fill(file, b'{"trace_id":"a"}\n{"trace_id":"b"}\n')

        source.look()

        assert (before, source.progress()[0].end) == (1, 2)
