"""The watch half meets scores and marks in the order in which they were written."""

from pathlib import Path

from schemas.mark import Mark, PartitionProgress
from schemas.tally import Block, Tally
from streams.address import Topics
from streams.folder.follower import follow
from streams.folder.interleaving import Interleaving
from streams.folder.sink import FolderSink
from tests.fakes import NOON

TOPICS = Topics()


def a_tally(n: int) -> Tally:
    block = Block(topic="rag.traces", partition=0, from_=n, to=n + 1, epoch=1)
    return Tally(source=block, assistant="shop/production", minute=NOON, at=NOON)


async def write(root: Path, script: str) -> None:
    """Write a score for each `s` and a mark for each `m`."""
    mark = Mark(
        worker="w", at=NOON, of=1, partitions={0: PartitionProgress(next=0, end=0, epoch=1)}
    )
    async with FolderSink(root, TOPICS, lambda: NOON, "g", "0") as sink:
        for n, letter in enumerate(script):
            await (sink.publish([a_tally(n)]) if letter == "s" else sink.mark(mark))


async def read(root: Path) -> str:
    topics = (TOPICS.scores, TOPICS.marks)
    reader = follow(root, topics, end_at_end=True, allowed=Interleaving(*topics))
    records = [record async for batch in reader.batches() for record in batch]
    return "".join("s" if record.topic == TOPICS.scores else "m" for record in records)


async def test_marks_come_where_they_were_made(tmp_path: Path) -> None:
    script = "ssmsmmsssm" + "s" * 600 + "mss"

    await write(tmp_path, script)

    assert await read(tmp_path) == script


async def test_a_mark_that_speaks_of_scores_that_are_gone_holds_nobody_up(tmp_path: Path) -> None:
    await write(tmp_path, "sssm")
    file = tmp_path / TOPICS.scores / "0.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:1]))

    assert await read(tmp_path) == "sm"


async def test_marks_without_any_scores_are_read(tmp_path: Path) -> None:
    await write(tmp_path, "mm")

    assert await read(tmp_path) == "mm"
