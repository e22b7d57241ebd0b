"""Topics on a broker, the settings that name them, and a judge on 127.0.0.1: for `replay`."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from schemas.run import Run
from schemas.score import ScoreEvent
from streams.address import EVENT_ID, Topics
from tests.command import streamgauge
from tests.judge_server import Heard, JudgeServer, Play, agree, reply
from tests.kafka.cluster_admin import put, read_all
from tests.kafka.command import settings
from tests.kafka.flow import make_stamped
from tests.kafka.processes import spread

PARTITIONS = 3
IN_FLIGHT = 10
OURS = int(0.3 * IN_FLIGHT)
"""Calls that a run makes at one time: its part of the judge's slots."""

SETTINGS = """\
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
judge:
  kind: chat
  allow_private_addresses: true
  chat: {{url: '{url}', model: judge-1, in_flight: {in_flight}}}
alerts: []
"""


@dataclass
class Place:
    """Topics on a broker with settings that name them, and the judge that those name."""

    kafka: str
    topics: Topics
    folder: Path
    server: JudgeServer
    slow: float = 0.0
    free: asyncio.Event = field(default_factory=asyncio.Event)
    asked: list[int] = field(default_factory=list)
    """The rows that the judge was asked about, by the number in their answers."""

    def settle(self, *, probability: float = 1.0) -> None:
        more = SETTINGS.format(url=self.server.url, in_flight=IN_FLIGHT)
        file = settings(self.kafka, self.folder, self.topics, more)
        file.write_text(file.read_text().replace("probability: 1.0", f"probability: {probability}"))

    def play(self, heard: Heard) -> Play:
        """Answer once the judge is free: of every third row it thinks ill."""
        [number] = map(int, re.findall(r"Paris (\d+)\.", heard.user)[:1])
        self.asked.append(number)
        answer = reply(agree(heard, "yes" if number % 3 else "no"), after=self.slow)

        async def play(writer: asyncio.StreamWriter) -> None:
            await self.free.wait()
            await answer(writer)

        return play

    async def write(self, rows: Sequence[bytes]) -> None:
        for number, share in enumerate(spread(rows, PARTITIONS)):
            await put(self.kafka, self.topics.traces, share, partition=number)

    async def run(self, *arguments: str, code: int = 0) -> str:
        done = await asyncio.to_thread(streamgauge, *arguments, cwd=self.folder, code=code)
        return done.stdout + done.stderr

    async def events(self, run: str | None = None) -> list[ScoreEvent]:
        found = [
            ScoreEvent.model_validate_json(record.value or b"")
            for record in await read_all(self.kafka, self.topics.scores)
            if EVENT_ID in dict(record.headers)
        ]
        return [event for event in found if event.run == run]

    async def published(self, run: str, count: int) -> bool:
        return len(await self.events(run)) >= count

    async def manifest(self, key: str) -> Run:
        records = await read_all(self.kafka, self.topics.runs)
        found = [Run.model_validate_json(record.value or b"") for record in records]
        return [run for run in found if run.key == key][-1]


@asynccontextmanager
async def placed(kafka: str, topics: Topics, folder: Path) -> AsyncIterator[Place]:
    """Yield topics that are made, settings that draw every row, and a judge that is free."""
    async with JudgeServer(lambda heard: made.play(heard)) as server:
        made = Place(kafka, topics, folder, server)
        made.settle()
        made.free.set()
        await make_stamped(kafka, topics, partitions=PARTITIONS)
        yield made
