"""Reading a topic for a group: each row is handed out until a commit says that it is done."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from streams.folder.committer import Committer
from streams.folder.groups import Group, join
from streams.folder.log import MAX_LINE, LogReader
from streams.folder.owned import Owned
from streams.folder.polling import Sleep, in_turn, poll
from streams.folder.recovery import recover
from streams.folder.topic import TopicPartition, make_topic, partition_files, plain_name, topic_id
from streams.ports import Clock, Progress, Record
from streams.subscription import Subscription
from streams.tracker import Assignment, Tracker


@dataclass(slots=True)
class FolderSource:
    """A `Source`; between entry and exit it is the only one of its group.

    Entry raises LockedError while another process has the group. Exit commits what is done. A
    longer line than `max_line` bytes is cut there, so that its decoder can refuse it by its length.
    A `file` is read in place of the topic's, as the only partition of a topic without an id.
    """

    root: Path
    subscription: Subscription
    clock: Clock
    max_line: int = MAX_LINE
    sleep: Sleep = asyncio.sleep
    file: Path | None = None
    _of: int = 1
    _assignment: Assignment = field(default_factory=Assignment)
    _owned: dict[int, Owned] = field(default_factory=dict)
    _turn: deque[int] = field(default_factory=deque)
    _stopped: bool = False
    _group: Group = field(init=False)
    _committer: Committer = field(init=False)
    _committing: asyncio.Task[None] = field(init=False)

    async def __aenter__(self) -> Self:
        subscription = self.subscription
        self._group = join(self.root, subscription.group)
        try:
            files, identity = self._files()
            self._of = len(files)
            logs = {number: self._log(file) for number, file in files.items()}
            found = await asyncio.to_thread(
                recover, self.root, subscription, self._group, logs, topic_id=identity
            )
            for number, owned in found.items():
                self._own(number, owned)
            self._committer = Committer(
                self._group, subscription.topic, identity, self._owned, self.clock
            )
            self._committer.begin()
        except BaseException:
            self._group.leave()
            raise
        self._committing = asyncio.create_task(self._committer.keep(self.sleep))
        return self

    async def __aexit__(self, *error: object) -> None:
        self.stop()
        self._committing.cancel()
        try:
            with suppress(asyncio.CancelledError):
                await self._committing
            await self._committer.commit_or_report()
        finally:
            self._assignment.trackers.clear()
            self._group.leave()

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches of at most 256 rows; partitions take turns. `stop` ends it in 100 ms.

        Raises OSError where it cannot be written down by what rows without a time are dated.
        """
        async for batch in poll(self._take, ended=self._ended, sleep=self.sleep):
            await self._committer.remember(batch[0].partition)
            yield batch

    def _files(self) -> tuple[Mapping[int, Path], str]:
        """Return the files that are read, by partition, and the topic's id."""
        if self.file is not None:
            return {0: self.file}, ""
        folder = self.root / plain_name(self.subscription.topic)
        return make_topic(folder, partitions=1), topic_id(folder)

    def _take(self) -> list[Record]:
        if self._committing.done():
            self._committing.result()  # it never ends but by a fault, which must stop the reading
        batch = in_turn(self._turn, lambda number: self._owned[number].take())
        if not batch and not self._bounded:
            self._look_for_new_partitions()
        return batch

    def _look_for_new_partitions(self) -> None:
        """A partition that came later is new to the group: it is read from its first row on."""
        topic, epoch = self.subscription.topic, self._group.epoch
        for number, file in partition_files(self.root / topic).items():
            if number not in self._owned:
                place = TopicPartition(topic, number, self._committer.topic_id, epoch)
                tracker = Tracker(0, epoch, span=self.subscription.span)
                self._own(number, Owned(place, self._log(file), tracker))

    def _log(self, file: Path) -> LogReader:
        return LogReader(file, self.max_line)

    def _own(self, number: int, owned: Owned) -> None:
        self._owned[number] = owned
        self._assignment.trackers[number] = owned.tracker
        self._turn.append(number)

    def _ended(self) -> bool:
        everything = self._bounded and all(o.ended for o in self._owned.values())
        return self._stopped or everything

    @property
    def _bounded(self) -> bool:
        return self.subscription.end_at_end or self.subscription.bounds is not None

    def open(self, record: Record) -> None:
        """Note that a record has work to do."""
        self._assignment.open(record)

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that the whole batch is decided."""
        self._assignment.passed(batch)

    def done(self, record: Record) -> None:
        """Note that an opened record needs no more work."""
        self._assignment.done(record)

    async def owns(self, record: Record) -> bool:
        """Say whether the record is of this life, and this life has not ended."""
        return self._assignment.holds(record)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Note that the tallies of all rows below `to` are safely written."""
        self._assignment.seal(partition, to=to, epoch=epoch)

    def progress(self) -> Mapping[int, Progress]:
        """Return where each partition stands."""
        return self._assignment.progress({n: owned.log.end for n, owned in self._owned.items()})

    def look(self) -> None:
        """Look for new rows: the log's end must be seen to move where nothing is taken."""
        for owned in self._owned.values():
            owned.log.grow()

    @property
    def partitions(self) -> int:
        """How many partitions the topic has."""
        return max(self._of, len(self._owned))

    def stop(self) -> None:
        """End `batches` within 100 ms."""
        self._stopped = True

    async def commit(self) -> None:
        """Commit now what is done. The once-a-second commits need no help."""
        await self._committer.commit()
