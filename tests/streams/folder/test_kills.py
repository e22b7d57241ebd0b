"""Processes that are killed at any moment, and what the disk then has."""

import asyncio
import random
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from streams.folder.groups import join
from streams.folder.lock import LockedError
from streams.folder.source import FolderSource
from streams.folder.topic import read
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record
from streams.subscription import Subscription
from tests.fakes import NOON
from tests.streams.ports.driving import seal

pytestmark = pytest.mark.service

WRITER = """
import sys
from pathlib import Path
from streams.folder.writer import Entry, TopicWriter
writer = TopicWriter.open(Path(sys.argv[1]), "t")
number = int(sys.argv[2])
print("open", flush=True)
while True:
    batch = range(number, number + 7)
    writer.append(0, [Entry(b"k", b'{"n":%d,"pad":"%s"}' % (n, b"x" * 900), n) for n in batch])
    number += 7
    print(number, flush=True)
"""

WORKER = """
import asyncio, sys
from datetime import UTC, datetime
from pathlib import Path
from streams.subscription import Subscription
from streams.folder.source import FolderSource
async def main():
    async with FolderSource(Path(sys.argv[1]), Subscription(), lambda: datetime.now(UTC)) as source:
        print("open", flush=True)
        async for batch in source.batches():
            for record in batch:
                source.open(record)
            source.passed(batch)
            for record in reversed(batch):
                if not record.finished:
                    print(record.offset, flush=True)
                source.done(record)
            source.seal(batch[-1].partition, to=batch[-1].offset + 1, epoch=batch[-1].epoch)
            await source.commit()
asyncio.run(main())
"""


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program, and return once it has its folder open."""
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and program
        [sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    while process.stdout.readline() != "open\n":  # its log comes before
        assert process.poll() is None
    return process


def kill_after(process: subprocess.Popen[str], *, lines: int) -> list[int]:
    """Kill the process once it has said so many lines; return all the numbers it ever said."""
    assert process.stdout
    said = [process.stdout.readline() for _ in range(lines)]
    process.send_signal(signal.SIGKILL)
    said += process.stdout.readlines()
    process.stdout.close()
    process.wait()
    return [int(line) for line in said if line.endswith("\n")]


def test_a_killed_writer_loses_no_line_that_it_had_acknowledged_and_glues_none(
    tmp_path: Path,
) -> None:
    draw = random.Random(11)
    acknowledged = 0
    for _ in range(8):
        process = start(WRITER, tmp_path, acknowledged)
        acknowledged = kill_after(process, lines=draw.randrange(1, 40))[-1]
        with (tmp_path / "t" / "0.jsonl").open("ab") as out:
            out.write(b'{"key":"torn'[: draw.randrange(12)])

    TopicWriter.open(tmp_path, "t").close()

    rows = [record.timestamp for record in read(tmp_path, "t")]
    assert set(rows) >= set(range(acknowledged))
    assert all(r.value and r.value.startswith(b'{"n":%d,' % r.timestamp) for r in _all(tmp_path))


def _all(root: Path) -> list[Record]:
    return list(read(root, "t"))


def test_a_killed_worker_leaves_its_group_to_the_next(tmp_path: Path) -> None:
    process = start(WORKER, tmp_path)
    with pytest.raises(LockedError, match=f"in use by process {process.pid} "):
        join(tmp_path, "streamgauge")

    kill_after(process, lines=0)

    join(tmp_path, "streamgauge").leave()


def test_workers_that_are_killed_skip_no_row_and_repeat_few(tmp_path: Path) -> None:
    draw = random.Random(5)
    count, kills = 5000, 6
    writer = TopicWriter.open(tmp_path, "rag.traces")
    writer.append(0, [Entry(None, b"{}", n) for n in range(count)])
    writer.close()
    done: list[int] = []
    for _ in range(kills):
        process = start(WORKER, tmp_path)
        done += kill_after(process, lines=draw.randrange(1, 400))

    done += asyncio.run(_the_rest(tmp_path))

    assert set(done) == set(range(count))
    assert len(done) - count <= kills * 256


async def _the_rest(root: Path) -> list[int]:
    rest: list[int] = []
    async with FolderSource(root, Subscription(end_at_end=True), _now) as source:
        async for batch in source.batches():
            rest += [record.offset for record in batch if not record.finished]
            source.passed(batch)
            seal(source, batch)
    return rest


def _now() -> datetime:
    return NOON
