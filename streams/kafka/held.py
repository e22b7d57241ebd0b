"""The partitions that are ours, from one assignment to the next. Pure.

    assigned -> recovered -> read and committed -> still (a rebalance began) -> suspended
                                ^                                                   |
                                +-- ours again, and the last commit is ours --------+

Every rebalance takes all partitions away, and brings most of them back. Whoever takes one up
commits before a row of it is read: where the last commit is still ours nobody else has read any,
and rows in flight go on as if nothing had happened.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from streams.kafka.incidents import Incident
from streams.ports import Progress, Record
from streams.tracker import Assignment, Tracker

NONE_PUBLISHED: frozenset[str] = frozenset()
IN_VAIN = 50
"""How many steps a wait for no row counts for: the damage is elsewhere, and others are to come."""


@dataclass(slots=True)
class Held:
    """A partition with its tracker, and what its commits must say. Times in milliseconds.

    `published`: the event ids that the scores topic already has, by offset; the next owner finds
    them by reading that topic from `since` on. `trusted`: what we know of it still holds. `reads`
    and `commits`: it may be polled, and committed, now. `stopped`: why it is not read although it
    could be. `steps`: how many rows are to be taken one by one, since something among them is
    damaged. `end`: of the log; `upto`: of a bounded reading. `gone`: how many of its offsets
    retention took before it came to them.
    """

    tracker: Tracker
    topic_id: str
    since: int
    published: dict[int, frozenset[str]] = field(default_factory=dict)
    trusted: bool = True
    reads: bool = False
    commits: bool = False
    stopped: Incident | None = None
    steps: int = 0
    end: int = 0
    upto: int | None = None
    gone: int = 0
    written: tuple[int, bytes] | None = None
    opened: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The open rows, oldest first: when each was opened, and how long it is."""

    def committed_at(self, now: int) -> int:
        """Return the time that a commit bears: what is published of rows from there on is younger.

        That may be of an earlier life, or of an open row with several scorers.
        """
        below = self.tracker.committed
        if self.published:
            self.published = {at: ids for at, ids in self.published.items() if at >= below}
        oldest = next(iter(self.opened.values()), (now, 0))[0]
        return min(oldest, self.since if self.published else now, now)

    def distrust(self) -> None:
        """What we know of it may be wrong: no more is begun, and it is to be taken up anew."""
        self.trusted = self.reads = self.commits = False

    def stepped(self, rows: int) -> None:
        """Note that its next row was asked for, and whether it came."""
        self.steps = max(0, self.steps - (1 if rows else IN_VAIN))

    @property
    def ended(self) -> bool:
        """Whether a bounded reading has handed out everything."""
        return self.upto is not None and self.tracker.position >= self.upto

    def pass_gap(self, begin: int) -> None:
        """Note that retention took the rows from `position` up to where the log begins now."""
        upto = begin if self.upto is None else min(begin, self.upto)
        self.gone += max(0, upto - self.tracker.position)
        self.tracker.skip(begin)

    @property
    def bytes_open(self) -> int:
        """How much the open rows hold in memory, as they came."""
        return sum(length for _, length in self.opened.values())


@dataclass(slots=True)
class Holdings:
    """All that a member of a group holds. `epoch` is the generation of its last assignment."""

    epoch: int = -1
    assignment: Assignment = field(default_factory=Assignment)
    held: dict[int, Held] = field(default_factory=dict)
    mine: frozenset[int] = frozenset()
    bytes_open: int = 0

    def still(self) -> None:
        """A rebalance began: nothing more is read."""
        for held in self.held.values():
            held.reads = False

    def suspend(self) -> None:
        """The last commit of this assignment is sent: wait for what the next one brings."""
        self.mine = frozenset()
        for held in self.held.values():
            held.commits = False

    def assign(self, numbers: Collection[int], epoch: int) -> None:
        """Take the partitions of a new generation; what did not come back is let go."""
        for number in list(self.held):
            if number not in numbers:
                self.drop(number)
        self.epoch, self.mine = epoch, frozenset(numbers)

    def drop(self, number: int) -> None:
        """Let a partition go: words about its rows are no longer heard."""
        held = self.held.pop(number, None)
        if held is not None:
            self.assignment.trackers.pop(number)
            self.bytes_open -= held.bytes_open

    def take(self, number: int, held: Held) -> None:
        """Take up a partition as it was recovered."""
        self.drop(number)
        self.held[number] = held
        self.assignment.trackers[number] = held.tracker

    def open(self, record: Record, *, now: int) -> None:
        """Note that a record has work to do, and since when."""
        self.assignment.open(record)
        held = self.of(record)
        if held is not None:
            length = len(record.value or b"")
            held.opened[record.offset] = (now, length)
            self.bytes_open += length

    def done(self, record: Record) -> None:
        """Note that an opened record needs no more work."""
        self.assignment.done(record)
        held = self.of(record)
        if held is not None:
            self.bytes_open -= held.opened.pop(record.offset, (0, 0))[1]

    def holds(self, record: Record) -> bool:
        """Say whether the record may be worked on, as far as we know.

        Not where too many rows cannot be read; what lies before a damaged batch is sound.
        """
        held = self.of(record)
        return held is not None and held.trusted and held.stopped != "rejections_flood"

    def settled(self, record: Record) -> bool:
        """Say whether it is known whose the record's partition is: not so in a rebalance."""
        held = self.of(record)
        return held is None or held.commits

    def of(self, record: Record) -> Held | None:
        """Return the record's partition, if it is held as it was when the record was handed out."""
        held = self.held.get(record.partition)
        return held if held is not None and held.tracker.epoch == record.epoch else None

    def readable(self) -> list[int]:
        """Return the partitions that may be polled, with or without room for more rows."""
        return [
            number
            for number, held in self.held.items()
            if held.reads and held.stopped is None and not held.ended
        ]

    @property
    def ended(self) -> bool:
        """Whether a bounded reading has handed out all that it can: a partition may stand."""
        ours = [self.held.get(number) for number in self.mine]
        return all(one is not None and (one.ended or one.stopped is not None) for one in ours)

    def progress(self) -> Mapping[int, Progress]:
        """Return where each partition stands."""
        found = self.assignment.progress({n: held.end for n, held in self.held.items()})
        return {n: at._replace(stands=self.held[n].stopped is not None) for n, at in found.items()}

    def with_history(self, batch: Sequence[Record], held: Held) -> list[Record]:
        """Return the rows with what earlier lives did of them."""
        finished, published = held.tracker.finished, held.published
        return [
            record._replace(
                finished=finished(record.offset),
                published=published.get(record.offset, NONE_PUBLISHED),
            )
            for record in batch
        ]
