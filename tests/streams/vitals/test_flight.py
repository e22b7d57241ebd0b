"""A half that times its own work."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import pytest

from streams.ports import Record
from streams.vitals.flight import Flight
from tests.fakes import a_record


@dataclass
class Waiting:
    """A half whose work waits until it is let go."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    begun: list[str] = field(default_factory=list)
    due: bool = False

    def admit(self, batch: Sequence[Record]) -> Sequence[tuple[Record, str]]:
        return [(record, "work") for record in batch]

    async def finish(self, record: Record, work: str) -> None:
        self.begun.append(work)
        await self.go.wait()
        if work == "broken":
            raise OSError("broken")

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        pass

    async def beat(self, now: datetime) -> None:
        pass


ROW = a_record(b"{}")


async def let_run() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_it_knows_what_is_under_way_and_since_when() -> None:
    time = [100.0]
    flight = Flight(half := Waiting(), stopwatch=lambda: time[0])
    first = asyncio.create_task(flight.finish(ROW, "a"))
    await let_run()
    time[0] = 130.0
    second = asyncio.create_task(flight.finish(ROW, "b"))
    await let_run()

    assert (flight.rows, flight.oldest, flight.finished) == (2, 30.0, 0)
    half.go.set()
    await asyncio.gather(first, second)
    assert (flight.rows, flight.oldest, flight.finished) == (0, 0.0, 2)


async def test_work_that_breaks_is_no_longer_under_way_and_did_not_finish() -> None:
    flight = Flight(half := Waiting())
    half.go.set()

    with pytest.raises(OSError, match="broken"):
        await flight.finish(ROW, "broken")

    assert (flight.rows, flight.finished) == (0, 0)


async def test_while_memory_is_tight_rows_begin_one_at_a_time() -> None:
    tight = [False]
    flight = Flight(half := Waiting(), lambda: tight[0])
    tasks = [asyncio.create_task(flight.finish(ROW, "before"))]
    await let_run()
    tight[0] = True
    tasks += [asyncio.create_task(flight.finish(ROW, "after")) for _ in range(3)]
    await let_run()

    assert half.begun == ["before", "after"]
    half.go.set()
    await asyncio.gather(*tasks)
    assert flight.finished == 4
