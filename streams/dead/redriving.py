"""Sending dead letters back to the traces topic: how many, how fast, how often."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.wire import to_milliseconds
from streams.dead.letters import DeadLetter, note_of, row_of
from streams.dead.reading import DeadLetters
from streams.ports import Clock, Record

BATCH = 100
"""Rows that are sent before their letters are noted: as many may go twice after a kill."""

HOLLOW = "too large for the dead letters: its bytes are at its origin only"
ELSEWHERE = "not from the traces topic of these settings"
TOO_OFTEN = "came back as often as --max-redrives says"
OVER_CAP = "over --cap: for another run"
TOO_LARGE = "too large for the traces topic by now"


class Outbox(Protocol):
    """Writes records to the topics and partitions that they name."""

    async def fits(self, record: Record) -> bool:
        """Say whether its topic takes a record of that size."""
        ...

    async def append(self, records: Sequence[Record]) -> None:
        """Write records with their keys, values, times and headers. Returns once that is safe.

        A partition that the topic no longer has is replaced by another one.
        """
        ...


@dataclass(frozen=True, slots=True)
class RedriveLimits:
    """How many letters a run sends back, how many a second, and how often a letter may go."""

    cap: int = 1000
    rate: float = 50.0
    max_redrives: int = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """The letters that go back, oldest first, and by reason how many stay."""

    goes: tuple[DeadLetter, ...]
    stays: Counter[str]


def plan(waiting: Iterable[DeadLetter], limits: RedriveLimits, *, traces: str) -> Plan:
    """Choose among letters, oldest first."""
    goes: list[DeadLetter] = []
    stays: Counter[str] = Counter()
    for letter in waiting:
        why = _stays(letter, limits, traces) or (OVER_CAP if len(goes) >= limits.cap else None)
        if why is None:
            goes.append(letter)
        else:
            stays[why] += 1
    return Plan(tuple(goes), stays)


def _stays(letter: DeadLetter, limits: RedriveLimits, traces: str) -> str | None:
    if letter.origin is None or letter.origin.topic != traces:
        return ELSEWHERE
    if letter.hollow:
        return HOLLOW
    return TOO_OFTEN if letter.redrives >= limits.max_redrives else None


@dataclass(frozen=True, slots=True)
class Redrive:
    """Sends letters back, and notes each beside the letters once its row is safely written.

    A kill between the two sends a batch's rows again in the next run: a row is never lost, and the
    verdict on one that came twice counts once.
    """

    letters: DeadLetters
    outbox: Outbox
    clock: Clock
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep

    async def run(self, chosen: Sequence[DeadLetter], *, rate: float) -> tuple[int, Counter[str]]:
        """Send letters back, at most `rate` a second. Returns how many went, and why others not."""
        sent, stayed = 0, Counter[str]()
        async for batch in self._batches(chosen, size=max(1, min(BATCH, int(rate)))):
            if sent:
                await self.sleep(len(batch) / rate)
            rows, notes = [], []
            for letter, record in batch:
                row = self._row(letter, record)
                if await self.outbox.fits(row):
                    rows.append(row)
                    notes.append(note_of(record, at=to_milliseconds(self.clock())))
                else:
                    stayed[TOO_LARGE] += 1
            await self.outbox.append(rows)
            await self.outbox.append(notes)
            sent += len(rows)
        return sent, stayed

    def _row(self, letter: DeadLetter, record: Record) -> Record:
        if letter.origin is None:
            raise ValueError(f"letter {letter.partition}/{letter.offset} does not say where from")
        return row_of(record, letter.origin, letter.redrives + 1)

    async def _batches(
        self, chosen: Sequence[DeadLetter], *, size: int
    ) -> AsyncIterator[list[tuple[DeadLetter, Record]]]:
        batch = []
        async for pair in self.letters.bytes_of(chosen):
            batch.append(pair)
            if len(batch) == size:
                yield batch
                batch = []
        if batch:
            yield batch
