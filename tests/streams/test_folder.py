"""The folder log under the suite that every adapter must pass."""

import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from streams.folder.sink import FolderSink
from streams.folder.source import FolderSource
from streams.folder.topic import read
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Record
from streams.subscription import Start, Subscription
from tests.fakes import NOON
from tests.streams.ports.log import TOPICS, CommittingSource, Log, Row
from tests.streams.ports.suite import PortsSuite


class FolderLog:
    """A folder of the test's own. A kill goes on with a copy: what is on the disk, and no more."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.partitions = 1

    async def make(self, *, partitions: int) -> None:
        self.partitions = partitions
        for topic in (TOPICS.traces, TOPICS.scores):
            TopicWriter.open(self.root, topic, partitions=partitions).close()

    async def put(self, rows: Sequence[Row], *, partition: int = 0) -> None:
        writer = TopicWriter.open(self.root, TOPICS.traces)
        writer.append(partition, [Entry(r.key, r.value, r.timestamp, r.headers) for r in rows])
        writer.close()

    def source(
        self, *, start: Start = "earliest", end_at_end: bool = True, minute: int = 0
    ) -> FolderSource:
        subscription = Subscription(start=start, end_at_end=end_at_end)
        return FolderSource(self.root, subscription, lambda: NOON + timedelta(minutes=minute))

    def sink(self) -> FolderSink:
        return FolderSink(self.root, TOPICS, _now, "g", "0.1.0", self.partitions)

    async def read(self, topic: str) -> list[Record]:
        return list(read(self.root, topic))

    async def kill(self, life: CommittingSource) -> None:
        after = self.root.with_name(f"{self.root.name}-after")
        shutil.copytree(self.root, after)
        self.root = after


def _now() -> datetime:
    return NOON


class TestTheFolderLog(PortsSuite):
    @pytest.fixture
    def log(self, tmp_path: Path) -> Log:
        return FolderLog(tmp_path / "log")
