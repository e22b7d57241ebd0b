"""A folder on which `streamgauge replay` runs as its users run it, with a judge on 127.0.0.1."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from schemas.run import Run
from schemas.score import ScoreEvent
from schemas.wire import rfc3339
from streams.console.lookup import messages
from streams.pace import now
from tests.command import streamgauge
from tests.judge_server import Heard, JudgeServer, Play, agree, reply

ROWS = 120
BEGAN = now().replace(second=0, microsecond=0) - timedelta(hours=2)
SETTINGS = """\
broker: folder:topics
sampling: {{probability: {probability}}}
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
judge:
  kind: chat
  allow_private_addresses: true
  chat:
    url: '{url}'
    model: {model}
    in_flight: 10
    price: {{input_per_million: 10, output_per_million: 30}}
alerts: []
"""


@dataclass
class Place:
    """A folder with a log and settings, and the judge that they name."""

    folder: Path
    server: JudgeServer
    slow: float = 0.0
    verdict: str = "yes"
    status: int = 200
    asked: list[str] = field(default_factory=list)

    def settle(self, *, model: str = "judge-1", probability: float = 0.5) -> None:
        text = SETTINGS.format(url=self.server.url, model=model, probability=probability)
        (self.folder / "streamgauge.yaml").write_text(text)

    def play(self, heard: Heard) -> Play:
        self.asked.append(heard.user)
        return reply(agree(heard, self.verdict), self.status, after=self.slow)

    async def run(self, *arguments: str, code: int = 0) -> str:
        done = await asyncio.to_thread(streamgauge, *arguments, cwd=self.folder, code=code)
        return done.stdout + done.stderr

    def events(self, run: str | None = None) -> list[ScoreEvent]:
        found = messages(self.folder / "topics", "rag.scores", ScoreEvent)
        return [event for event in found if event.run == run]

    def manifest(self, key: str) -> Run:
        found = messages(self.folder / "topics", "rag.runs", Run)
        return [run for run in found if run.key == key][-1]


@asynccontextmanager
async def a_place(folder: Path) -> AsyncIterator[Place]:
    """Yield a folder with rows that nobody has judged."""
    traces = folder / "topics" / "rag.traces"
    traces.mkdir(parents=True)
    write_rows(traces / "0.jsonl", ROWS)
    async with JudgeServer(lambda heard: made.play(heard)) as server:
        made = Place(folder, server)
        made.settle()
        yield made


def write_rows(file: Path, rows: int) -> None:
    with file.open("a") as out:
        for n in range(rows):
            at = BEGAN + timedelta(seconds=30 * n)
            row = {
                "trace_id": f"t-{n}",
                "service": "shop",
                "answered_at": rfc3339(at),
                "answer": f"It opens at {n}.",
                "contexts": ["It opens at nine."],
            }
            stamp = int(at.timestamp() * 1000)
            out.write(json.dumps({"key": f"t-{n}", "timestamp": stamp, "value": row}) + "\n")


def outcomes(events: list[ScoreEvent]) -> dict[str, object]:
    return {event.event_id: event.outcome for event in events}


def ids(events: list[ScoreEvent]) -> Counter[str]:
    return Counter(event.event_id for event in events)
