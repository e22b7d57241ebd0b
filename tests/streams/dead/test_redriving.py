from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from streams.dead.letters import Wanted, noted
from streams.dead.reading import DeadLetters
from streams.dead.redriving import (
    ELSEWHERE,
    HOLLOW,
    OVER_CAP,
    TOO_LARGE,
    TOO_OFTEN,
    Redrive,
    RedriveLimits,
    plan,
)
from streams.ports import Record
from tests.fakes import NOON
from tests.streams.dead.letters import a_letter

ALL, USUAL = Wanted(), RedriveLimits()


@dataclass
class Topics:
    """Topics in lists: what is appended to the dead letters is found there again."""

    dead: list[Record]
    traces: list[Record] = field(default_factory=list)
    largest: int = 1000
    writes: int = 0
    killed_at: int = -1

    async def sizes(self, topic: str) -> Mapping[int, int]:
        return Counter(record.partition for record in self.dead)

    async def onwards(
        self, topic: str, partition: int, *, since: int = 0
    ) -> AsyncIterator[Sequence[Record]]:
        yield [record for record in self.dead if record.partition == partition]

    async def latest(self, topic: str, rows: int) -> list[Record]:
        raise NotImplementedError

    def backwards(self, topic: str) -> AsyncIterator[Sequence[Record]]:
        raise NotImplementedError

    async def at(self, topic: str, partition: int, offset: int) -> Record | None:
        raise NotImplementedError

    async def fits(self, record: Record) -> bool:
        return len(record.value or b"") <= self.largest

    async def append(self, records: Sequence[Record]) -> None:
        self.writes += 1
        if self.writes == self.killed_at:
            raise ConnectionError("killed")
        for record in records:
            if record.topic == "rag.dead":
                self.dead.append(record._replace(offset=100 + len(self.dead)))
            else:
                self.traces.append(record)


@dataclass
class Run:
    """One run of the command on such topics."""

    topics: Topics
    naps: list[float] = field(default_factory=list)

    async def __call__(self, wanted: Wanted = ALL, limits: RedriveLimits = USUAL) -> Counter[str]:
        letters = DeadLetters(self.topics, "rag.dead", lambda _: None)
        found = await letters.find(wanted)
        chosen = plan(found.waiting, limits, traces="rag.traces")
        again = Redrive(letters, self.topics, lambda: NOON, self._nap)
        _, stayed = await again.run(chosen.goes, rate=limits.rate)
        return chosen.stays + stayed

    async def _nap(self, seconds: float) -> None:
        self.naps.append(seconds)


def rows(topics: Topics) -> list[int]:
    return [row.offset for row in topics.traces]


async def test_each_letter_goes_back_once_whatever_later_runs_ask_for() -> None:
    topics = Topics([a_letter(n, row=n, reason=("a", "b")[n % 2]) for n in range(6)])
    run = Run(topics)

    await run(Wanted(reason="b"))
    await run()
    await run()

    assert rows(topics) == [1, 3, 5, 0, 2, 4]
    assert [noted(record) for record in topics.dead[6:]] == [1, 3, 5, 0, 2, 4]


async def test_letters_of_two_partitions_with_one_offset_are_two() -> None:
    topics = Topics([a_letter(0, row=1), a_letter(0, row=2, partition=1)])
    run = Run(topics)

    await run(limits=RedriveLimits(cap=1))
    await run()

    assert rows(topics) == [1, 2]


async def test_a_run_that_was_killed_loses_no_row_and_repeats_at_most_a_batch() -> None:
    topics = Topics([a_letter(n, row=n) for n in range(4)], killed_at=4)  # the second batch's notes
    run = Run(topics)
    with pytest.raises(ConnectionError):
        await run(limits=RedriveLimits(rate=2))

    await run()

    assert rows(topics) == [0, 1, 2, 3, 2, 3]


async def test_rows_go_no_faster_than_they_may() -> None:
    topics = Topics([a_letter(n, row=n) for n in range(5)])
    run = Run(topics)

    await run(limits=RedriveLimits(rate=2))

    assert run.naps == [1.0, 0.5]


async def test_what_stays_says_why() -> None:
    often = (("streamgauge-redrives", b"3"),)
    dead = [
        a_letter(0, row=0, headers=often),
        a_letter(1, row=1, topic="other"),
        a_letter(2, row=2, value=b"")._replace(key=None),
        a_letter(3, row=3, value=b"x" * 2000),
        a_letter(4, row=4),
        a_letter(5, row=5),
    ]
    topics = Topics(dead)

    stays = await Run(topics)(limits=RedriveLimits(cap=2))

    assert rows(topics) == [4]
    assert stays == {TOO_OFTEN: 1, ELSEWHERE: 1, HOLLOW: 1, TOO_LARGE: 1, OVER_CAP: 1}
    assert [noted(record) for record in topics.dead[6:]] == [4]


async def test_counts_tell_waiting_letters_from_those_that_were_sent_back() -> None:
    topics = Topics([a_letter(n, row=n, reason=("a", "b")[n % 2]) for n in range(5)])
    await Run(topics)(Wanted(reason="b"))

    found = await DeadLetters(topics, "rag.dead", lambda _: None).find(Wanted())

    assert found.counts() == [("a", 3, 0), ("b", 0, 2)]
