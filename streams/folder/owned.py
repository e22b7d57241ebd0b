"""One partition that a group's source owns: what it hands out, and what it would commit."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from streams.folder.log import LogReader
from streams.folder.sightings import Sighting, Sightings
from streams.folder.topic import ROWS, TopicPartition, records
from streams.ports import Record
from streams.tracker import Tracker


class Checkpoint(NamedTuple):
    """Where a partition stands: its offset, the bitmap from there on, when its rows were seen."""

    offset: int
    finished: bytes
    seen: Sequence[Sighting]


@dataclass(slots=True)
class Owned:
    """A partition with its log, its tracker, and what earlier lives published of its rows.

    `since` is the time of the last of their commits, in milliseconds; `upto` the offset at which a
    bounded reading ends.
    """

    place: TopicPartition
    log: LogReader
    tracker: Tracker
    published: dict[int, frozenset[str]] = field(default_factory=dict)
    since: int | None = None
    upto: int | None = None
    sightings: Sightings = field(default_factory=Sightings)

    @property
    def ended(self) -> bool:
        """Whether a bounded reading has handed out everything."""
        return self.upto is not None and self.tracker.position >= self.upto

    def take(self) -> list[Record]:
        """Return the next batch, empty where there is nothing, or no room for more."""
        self.log.grow()
        tracker = self.tracker
        rows = min(ROWS, tracker.room)
        if self.upto is not None:
            rows = min(rows, self.upto - tracker.position)
        self.sightings.note(self.log.end, self.log.modified, position=tracker.position)
        batch, position = records(
            self.log, tracker.position, rows=rows, place=self.place, date=self.sightings.date
        )
        if batch:
            tracker.hand_out(batch[-1].offset)
        tracker.skip(position)
        if tracker.earlier or self.published:
            return [self._with_history(record) for record in batch]
        return batch

    def _with_history(self, record: Record) -> Record:
        return record._replace(
            finished=self.tracker.finished(record.offset),
            published=self.published.get(record.offset, frozenset()),
        )

    def checkpoint(self) -> Checkpoint:
        """Return what is to be committed."""
        offset, finished = self.tracker.committable()
        return Checkpoint(offset, finished, self.sightings.from_(offset))

    def committed_at(self, now: int) -> int:
        """Return the time that a commit bears: from then on the next owner scans the scores topic.

        It stays that of the earlier life's commit until what that life published is committed, for
        the next owner must find it, too.
        """
        below = self.tracker.committed
        self.published = {offset: ids for offset, ids in self.published.items() if offset >= below}
        return self.since if self.published and self.since is not None else now
