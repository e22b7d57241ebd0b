from pathlib import Path

import pytest

from streams.folder.faults import LogFaultError
from streams.folder.outbox import FolderOutbox
from streams.folder.topic import read
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record

ROW = Record("rag.traces", 1, 9, b"\xff", b"not json\n\xff", 5, (("h", b"1"), ("h", b"\xfe")))


def a_topic(root: Path, *texts: str) -> None:
    for number, text in enumerate(texts):
        (root / "rag.traces").mkdir(exist_ok=True)
        (root / f"rag.traces/{number}.jsonl").write_text(text)


def values(root: Path, partition: int = 0) -> list[bytes | None]:
    return [record.value for record in read(root, "rag.traces", partition=partition)]


async def test_a_row_comes_back_to_its_partition_as_it_was(tmp_path: Path) -> None:
    a_topic(tmp_path, "{}\n", "{}\n")

    await FolderOutbox(tmp_path).append([ROW])

    (_, back) = read(tmp_path, "rag.traces", partition=1)
    assert back[3:7] == ROW[3:7]
    assert values(tmp_path, 0) == [b"{}"]


async def test_a_partition_that_is_gone_is_replaced_by_another(tmp_path: Path) -> None:
    a_topic(tmp_path, "{}\n")

    await FolderOutbox(tmp_path).append([ROW])

    assert values(tmp_path) == [b"{}", ROW.value]


async def test_a_last_line_without_its_line_feed_stays_a_line_of_its_own(tmp_path: Path) -> None:
    a_topic(tmp_path, '{"a": 1}', "")

    await FolderOutbox(tmp_path).append([ROW._replace(partition=0)])

    assert values(tmp_path) == [b'{"a": 1}', ROW.value]


async def test_nothing_is_glued_to_a_line_that_its_writer_has_not_ended(tmp_path: Path) -> None:
    a_topic(tmp_path, '{"a": ', "")

    with pytest.raises(LogFaultError, match="in the middle of a line"):
        await FolderOutbox(tmp_path).append([ROW._replace(partition=0)])

    assert (tmp_path / "rag.traces/0.jsonl").read_text() == '{"a": '


async def test_lines_stand_behind_those_of_whoever_writes_the_topic(tmp_path: Path) -> None:
    writer = TopicWriter.open(tmp_path, "rag.traces")
    outbox = FolderOutbox(tmp_path)
    outbox.mend("rag.traces")

    writer.append(0, [Entry(None, b"{}", 1)])
    await outbox.append([ROW])
    writer.append(0, [Entry(None, b"[]", 2)])
    writer.close()

    assert values(tmp_path) == [b"{}", ROW.value, b"[]"]


async def test_what_a_killed_writer_left_of_a_line_of_ours_is_taken_back(tmp_path: Path) -> None:
    a_topic(tmp_path, '{}\n{"a": ')
    outbox = FolderOutbox(tmp_path)

    outbox.mend("rag.traces")
    await outbox.append([ROW])

    assert values(tmp_path) == [b"{}", ROW.value]
