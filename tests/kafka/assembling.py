"""Spans written to a broker, and lives of `streamgauge assemble` that make rows of them."""

import asyncio
import os
import random
import signal
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from streams.address import Topics
from streams.assemble.rows import rows
from streams.topics import SPANS_BY_TRACE
from tests.command import STREAMGAUGE
from tests.kafka.broker import die_with_parent
from tests.kafka.cluster_admin import make_all, make_topics, producer_of, read_all
from tests.kafka.waiting import eventually
from tests.streams.assemble.conversations import a_conversation, in_pieces
from tests.streams.assemble.otlp_batches import as_proto

PARTITIONS = 3


def spans_topic(topics: Topics) -> str:
    return f"{topics.traces}.spans"


def assembling(topics: Topics, more: str = "") -> str:
    return (
        f"assemble: {{topic: {spans_topic(topics)}, quiet_after_root: 3s, max_wait: 10s{more}}}\n"
        "alerts: []\n"
    )


async def prepare(kafka: str, topics: Topics) -> None:
    await make_all(kafka, topics, partitions=2)
    await make_topics(kafka, [spans_topic(topics), SPANS_BY_TRACE], partitions=PARTITIONS)


def wanted(first: int, end: int) -> dict[bytes, set[bytes]]:
    """Return what is to be on the traces topic, by key."""
    found = defaultdict[bytes, set[bytes]](set)
    for number in range(first, end):
        for row in rows(a_conversation(number)):
            found[row.trace_id.encode()].add(row.to_json())
    return dict(found)


async def written(kafka: str, topics: Topics) -> tuple[Mapping[bytes, set[bytes]], int]:
    """Return what is on the traces topic, by key, and how many records that are."""
    records = await read_all(kafka, topics.traces)
    found = defaultdict[bytes, set[bytes]](set)
    for record in records:
        assert record.key is not None and record.value is not None
        found[record.key].add(record.value)
    return dict(found), len(records)


@dataclass
class Lives:
    """Processes of the stage by slot, one life after another."""

    folder: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    begun: Counter[str] = field(default_factory=Counter)

    def start(self, slot: str) -> None:
        self.begun[slot] += 1
        environment = {**os.environ, "STREAMGAUGE_KAFKA__SLOT": slot}  # noqa: TID251 - a child's
        with (self.folder / f"{slot}.log").open("ab") as log:
            self.running[slot] = subprocess.Popen(  # noqa: S603 - our own command
                [STREAMGAUGE, "assemble"],
                cwd=self.folder,
                env=environment,
                stdout=log,
                stderr=log,
                preexec_fn=die_with_parent,
            )

    async def runs(self, slot: str) -> None:
        """Wait until the last life of a slot has said that it runs."""
        await eventually(
            lambda: self.log(slot).count('"event": "running"') == self.begun[slot], within=60
        )

    def end(self, slot: str, how: signal.Signals) -> int:
        process = self.running.pop(slot)
        process.send_signal(how)
        return process.wait(60)

    def log(self, slot: str) -> str:
        """Return what the lives of a slot have said. A killed life has said that it runs, too."""
        return (self.folder / f"{slot}.log").read_text()


@contextmanager
def lives(folder: Path) -> Iterator[Lives]:
    some = Lives(folder)
    try:
        yield some
    finally:
        for slot in list(some.running):
            some.end(slot, signal.SIGKILL)


@dataclass
class Writing:
    """Writes spans in the background, ten traces a second: keyed, or two traces in a record."""

    kafka: str
    topic: str
    keyed: bool = True
    first: int = field(default_factory=lambda: random.SystemRandom().randrange(1 << 20))
    """Nobody else's: all tests have one topic of spans by trace."""
    end: int = field(init=False)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def __aenter__(self) -> Self:
        self.end = self.first
        self._task = asyncio.create_task(self._write())
        return self

    async def __aexit__(self, *error: object) -> None:
        self.stopped.set()
        await self._task

    async def _write(self) -> None:
        async with producer_of(self.kafka) as producer:
            while not self.stopped.is_set():
                pair = [self.end, self.end + 1]
                self.end += 2
                mixed = [span for number in pair for span in a_conversation(number)]
                parts = [a_conversation(number) for number in pair] if self.keyed else [mixed]
                for part in parts:
                    key = part[0].trace_id.encode() if self.keyed else None
                    for number, piece in enumerate(in_pieces(part, seed=self.end)):
                        where = None if self.keyed else number % PARTITIONS
                        value = as_proto(piece)
                        await producer.send_and_wait(self.topic, value, key, partition=where)
                await asyncio.sleep(0.2)
