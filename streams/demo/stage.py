"""The demo's stage: the play, the real score half and the real watch half, under a played clock."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from schemas.wire import to_milliseconds
from streams.demo.content import Assistant
from streams.demo.traffic import LENGTH, Played, play
from streams.folder.sink import FolderSink
from streams.folder.source import FolderSource
from streams.folder.writer import Entry
from streams.pace import until

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
"""When the play begins: a Monday morning."""

TAIL = timedelta(minutes=14)
"""Played after the last answer, so that its minute is evaluated too."""

BEAT = timedelta(seconds=10)
"""Of the played clock."""

MOST_BEHIND = 400
"""Rows that the play may be ahead of the scoring."""

_FRAME = 0.001


@dataclass(slots=True)
class PlayedClock:
    """A clock that stands where the play stands, and waits for those who live by it.

    Without waiting, a moment of a busy machine would be minutes of silence in the play.
    """

    at: datetime = START
    _told: datetime = START
    _waiting: list[asyncio.Event] = field(default_factory=list)
    _busy: int = 0

    def __call__(self) -> datetime:
        """Return the played time."""
        return self.at

    async def advance(self, to: datetime) -> None:
        """Move on, beat by beat: the next one begins when everybody is done with the last."""
        while self.at < to:
            self.at = min(to, max(self.at, self._told) + BEAT)
            if self.at - self._told >= BEAT:
                self._told = self.at
                await until(lambda: self._busy == 0, every=_FRAME)
                waiting, self._waiting = self._waiting, []
                self._busy += len(waiting)
                for beat in waiting:
                    beat.set()

    async def beats(self) -> AsyncIterator[datetime]:
        """Yield the played time at each beat."""
        while True:
            beat = asyncio.Event()
            self._waiting.append(beat)
            await beat.wait()
            yield self.at
            self._busy -= 1


@dataclass(slots=True)
class Player:
    """Writes the rows of the play to the traces topic, and moves the clock along."""

    assistants: tuple[Assistant, ...]
    seed: int
    seconds: float
    clock: PlayedClock
    source: FolderSource
    sink: FolderSink
    topic: str
    rows: int = 0
    truth: list[tuple[datetime, str, bool]] = field(default_factory=list)

    async def play(self) -> None:
        """Play the whole length in about `seconds`, never far ahead of the scoring."""
        began, pace = time.monotonic(), self.seconds / (LENGTH + TAIL).total_seconds()
        for played in play(self.assistants, seed=self.seed, start=START):
            due = began + (played.at - START).total_seconds() * pace
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            await until(lambda: self._behind() <= MOST_BEHIND)
            await self.clock.advance(played.at)
            self._write(played)
        end = START + LENGTH + TAIL
        while self.clock.at < end:
            await asyncio.sleep(BEAT.total_seconds() * pace)
            await until(lambda: self._behind() == 0)
            await self.clock.advance(min(end, self.clock.at + BEAT))

    def _behind(self) -> int:
        return sum(p.end - p.next for p in self.source.progress().values())

    def _write(self, played: Played) -> None:
        row = played.row
        value = json.dumps(row, ensure_ascii=False).encode()
        key = str(row["trace_id"]).encode()
        entry = Entry(key, value, to_milliseconds(played.at), ())
        self.sink.writer(self.topic).append(0, [entry])
        self.rows += 1
        assistant = f"{row['service']}/{row['environment']}"
        self.truth.append((played.at, assistant, played.fault is not None))

    def wrong_share(self, assistant: str, *, window: timedelta) -> float | None:
        """Return what share of the assistant's latest answers really is wrong."""
        since = self.clock.at - window
        wrong = [bad for at, who, bad in reversed(self.truth) if at >= since and who == assistant]
        return sum(wrong) / len(wrong) if wrong else None
