"""Writing what the flow produces to the folder's topics."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Self

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.wire import to_milliseconds
from streams.address import MODE, Letter, Topics, dead_headers, letter, mode
from streams.folder.faults import LogFaultError
from streams.folder.writer import Entry, TopicWriter
from streams.ports import Clock, Message, Record


@dataclass(slots=True)
class FolderSink:
    """A `Sink`. What it has returned from survives the death of the process.

    It survives that of the machine only with `fsync`. A topic is opened, and made with so many
    `partitions` where it is missing, when something is first written to it: that raises LockedError
    while another process writes there. `group` and `version` are named on dead letters.
    """

    root: Path
    topics: Topics
    clock: Clock
    group: str
    version: str
    partitions: int = 1
    fsync: bool = False
    _writers: dict[str, TopicWriter] = field(default_factory=dict)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def writer(self, topic: str, *, like: TopicWriter | None = None) -> TopicWriter:
        """Return the writer of a topic, opened at its first use, with as many partitions as `like`.

        Raises LockedError, and ValueError where a topic is there with another number of them.
        """
        if topic not in self._writers:
            partitions = self.partitions if like is None else like.partitions
            self._writers[topic] = TopicWriter.open(
                self.root, topic, partitions=partitions, fsync=self.fsync
            )
        writer = self._writers[topic]
        if like is not None and writer.partitions != like.partitions:
            raise LogFaultError(
                f"{topic} has {writer.partitions} partitions and {like.topic} {like.partitions}: "
                "they need as many"
            )
        return writer

    def claim(self, *topics: str) -> None:
        """Open topics now, for us alone. Raises LockedError while another process writes there."""
        for topic in topics:
            self.writer(topic)

    async def publish(self, messages: Sequence[Message]) -> None:
        """Append each message to the topic of its kind: in one write for each partition."""
        await self.send([letter(message, self.topics) for message in messages])

    async def send(self, letters: Sequence[Letter]) -> None:
        """Append each letter to its topic: in one write for each partition."""
        now = to_milliseconds(self.clock())
        entries: defaultdict[tuple[str, int], list[Entry]] = defaultdict(list)
        for to in letters:
            partition = self.writer(to.topic).partition_of(to.route)
            entries[to.topic, partition].append(Entry(to.key, to.value, now, to.headers))
        for (topic, partition), found in entries.items():
            self.writer(topic).append(partition, found)

    async def fits(self, sent: Letter) -> bool:
        """A line may be of any length."""
        return True

    async def mark(self, mark: Mark) -> None:
        """Append a copy to each partition of the marks topic, with that partition's `scores`."""
        scores = self.writer(self.topics.scores)
        marks = self.writer(self.topics.marks, like=scores)
        now = to_milliseconds(self.clock())
        for partition in range(scores.partitions):
            copy = mark.model_copy(update={"scores": scores.end(partition)})
            marks.append(partition, [Entry(None, copy.to_json(), now, ((MODE, mode(mark.run)),))])

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Append the record to the dead letters: its bytes as they came, the why in headers."""
        headers = dead_headers(record, rejection, at=at, group=self.group, version=self.version)
        dead = self.writer(self.topics.dead)
        entry = Entry(record.key, record.value, to_milliseconds(at), headers)
        dead.append(record.partition % dead.partitions, [entry])
