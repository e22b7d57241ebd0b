"""`streamgauge assemble` on a real broker: whatever becomes of it, the same rows."""

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

import pytest

from streams.address import Topics
from streams.assemble.rows import rows
from streams.topics import SPANS_BY_TRACE
from tests.command import STREAMGAUGE
from tests.kafka.broker import die_with_parent
from tests.kafka.cluster_admin import commits_of, make_all, make_topics, producer_of, read_all
from tests.kafka.command import run, settings
from tests.kafka.waiting import eventually
from tests.streams.assemble.conversations import a_conversation, in_pieces
from tests.streams.assemble.otlp_batches import as_proto

pytestmark = pytest.mark.service

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


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "how", ["", ", by_trace: false"], ids=["two workers", "one that cuts records up"]
)
async def test_killed_at_random_points_the_same_rows_are_written_and_no_other(
    kafka: str, topics: Topics, tmp_path: Path, how: str
) -> None:
    slots = "0" if how else "01"
    kills = 2 * len(slots)
    await prepare(kafka, topics)
    settings(kafka, tmp_path, topics, assembling(topics, how))
    rng = random.Random(11)

    async def more() -> None:
        """Wait for some more rows than there are."""
        enough = len(await read_all(kafka, topics.traces)) + 10

        async def there() -> bool:
            return len(await read_all(kafka, topics.traces)) >= enough

        await eventually(there, within=60, every=0.2)

    with lives(tmp_path) as some:
        for slot in slots:
            some.start(slot)
        async with Writing(kafka, spans_topic(topics), keyed=not how) as writing:
            for kill in range(kills):
                slot = slots[kill % len(slots)]
                await some.runs(slot)
                await more()
                await asyncio.sleep(rng.uniform(0, 1.5))  # the point in time is what is tried
                some.end(slot, signal.SIGKILL)
                some.start(slot)

        rows_wanted = wanted(writing.first, writing.end)

        async def all_there() -> bool:
            return rows_wanted.keys() <= (await written(kafka, topics))[0].keys()

        await eventually(all_there, within=60, every=0.5)
        for slot in slots:
            await some.runs(slot)
        codes = [some.end(slot, signal.SIGTERM) for slot in slots]

    found, records = await written(kafka, topics)
    assert {key: found[key] for key in rows_wanted} == rows_wanted
    assert how or found.keys() == rows_wanted.keys()
    assert set(codes) == {0}, "".join(map(some.log, slots))
    assert records <= len(found) + kills, "what was written is known again, all but always"


async def test_what_is_open_at_a_stop_is_not_written_and_not_committed(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    await prepare(kafka, topics)
    settings(kafka, tmp_path, topics, assembling(topics))
    group = f"{topics.traces}.group-assemble"

    with lives(tmp_path) as some:
        some.start("0")
        async with Writing(kafka, spans_topic(topics)) as writing:
            await eventually(lambda: writing.end >= writing.first + 4)

        async def committed() -> bool:
            return len(await commits_of(kafka, group, spans_topic(topics))) == PARTITIONS

        await eventually(committed)
        await some.runs("0")
        some.end("0", signal.SIGTERM)
        early, _ = await written(kafka, topics)
        some.start("0")

        async def all_there() -> bool:
            return (await written(kafka, topics))[0] == wanted(writing.first, writing.end)

        await eventually(all_there)
        assert len(early) <= writing.end - writing.first


@pytest.mark.parametrize("how", [", by_trace: false", ""], ids=["as told", "found out"])
async def test_records_that_mix_traces_and_have_no_key_are_cut_up_first(
    kafka: str, topics: Topics, tmp_path: Path, how: str
) -> None:
    await prepare(kafka, topics)
    first = 1_000 if how else 2_000
    spans = [span for number in range(first, first + 60) for span in a_conversation(number)]
    async with producer_of(kafka) as producer:
        for number, piece in enumerate(in_pieces(spans, seed=5)):
            topic, value = spans_topic(topics), as_proto(piece)
            await producer.send_and_wait(topic, value, partition=number % PARTITIONS)

    done = await asyncio.to_thread(
        run, kafka, tmp_path, topics, "assemble", "--once", more=assembling(topics, how)
    )

    assert done.returncode == 0, done.stdout
    ours = wanted(first, first + 60)
    found, records = await written(kafka, topics)
    assert {key: found.get(key) for key in ours} == ours
    assert records >= 60
