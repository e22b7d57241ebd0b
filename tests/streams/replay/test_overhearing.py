import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.mark import Mark, PartitionProgress
from schemas.tally import Tally
from streams.address import Topics
from streams.folder.sink import FolderSink
from streams.folder.topic import read
from streams.pace import now, until
from streams.ports import Record
from streams.replay.overhearing import overhear, said_live
from streams.replay.politeness import Politeness
from tests.streams.watch.records import MIDNIGHT, a_mark, a_score, a_tally

TOPICS = Topics()
SHED = a_tally(0, rows=(0, 9), shed=3)


def a_sink(root: Path) -> FolderSink:
    return FolderSink(root, TOPICS, lambda: MIDNIGHT, "g", "0")


async def test_only_marks_and_tallies_of_live_traffic_are_heard(tmp_path: Path) -> None:
    async with a_sink(tmp_path) as sink:
        await sink.publish([a_score(0, 0), SHED, a_tally(0, rows=(0, 9), run="r1")])
        await sink.mark(a_mark(5))
        await sink.mark(a_mark(5, run="r1"))

    records = [*read(tmp_path, TOPICS.scores), *read(tmp_path, TOPICS.marks)]
    heard = [message for record in records if (message := said_live(record)) is not None]

    assert heard == [SHED, a_mark(5).model_copy(update={"scores": 3})]


@pytest.mark.parametrize("value", [b"no json", b"", None, b'{"kind":"tick"}'])
def test_what_cannot_be_read_is_not_heard(value: bytes | None) -> None:
    record = Record("rag.marks", 0, 0, None, value, 0, (("streamgauge-mode", b"live"),))

    assert said_live(record) is None


class Said:
    """Messages in a list, as a follower yields them, and then nothing more for ever."""

    def __init__(self, *messages: Mark | Tally) -> None:
        self.messages = messages
        self.taken_in = 0

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        for message in self.messages:
            headers = (("streamgauge-mode", b"live"),)
            yield [Record("t", 0, 0, None, message.to_json(), 0, headers)]
        await asyncio.Event().wait()

    def passed(self, batch: Sequence[Record]) -> None:
        self.taken_in += len(batch)


async def test_what_several_topics_say_is_heeded_at_the_next_turn() -> None:
    polite = Politeness(0.3)
    live = Said(a_mark(0, {0: PartitionProgress(next=5, end=9, epoch=1)})), Said(SHED)

    hearing = asyncio.create_task(overhear(polite, live, clock=now, turn=timedelta(milliseconds=1)))
    await asyncio.wait_for(until(lambda: polite.factor == 0.0), 60)
    hearing.cancel()
    await asyncio.gather(hearing, return_exceptions=True)

    assert polite.because == "live_is_shed"
    assert [one.taken_in for one in live] == [1, 1]
