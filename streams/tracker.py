"""Which offset of a partition may be committed while its rows finish in any order. Pure.

    committed        next       decided       position
        |  finished   |  some open |  handed out  |  not handed out
        +--blocks-----+------------+--------------+---------------->

Only the end of a sealed block is committed, and only at or below `next`; what is finished beyond it
travels beside it as a bitmap, so that an owner to come does not pay for it again.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from streams.ports import Progress, Record

SPAN = 8192
"""How far (in offsets) a partition may be read ahead of what is committed, and a bitmap goes."""


@dataclass(slots=True)
class Tracker:
    """One partition, from one assignment to its end.

    `base` is the committed offset, `earlier` the bitmap of what an earlier life finished from there
    on (bit n of it, the lowest of the first byte being bit 0, is offset base + n). Offsets that
    never come count as finished.
    """

    base: int
    epoch: int = 0
    earlier: bytes = b""
    span: int = SPAN
    position: int = field(init=False)
    """The first offset that was not handed out yet."""
    _decided: int = field(init=False)
    _committed: int = field(init=False)
    _last: int = field(init=False)
    _open: dict[int, None] = field(default_factory=dict)
    """Rows are opened in order, so the first is the lowest."""
    _sealed: deque[int] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.position = self._decided = self._committed = self.base
        self._last = self.base - 1

    def finished(self, offset: int) -> bool:
        """Say whether an earlier life finished the row (it is tallied again, and no more)."""
        byte, bit = divmod(offset - self.base, 8)
        return 0 <= byte < len(self.earlier) and bool(self.earlier[byte] >> bit & 1)

    def hand_out(self, last: int) -> None:
        """Note that the rows up to and including `last` leave to be decided."""
        self._last = last
        self.position = last + 1

    def skip(self, to: int) -> None:
        """Note that the log has no rows from `position` up to `to`."""
        if self._decided == self.position:
            self._decided = max(to, self._decided)
        self.position = max(to, self.position)

    def open(self, offset: int) -> None:
        """Note that a row has work to do; the rows handed out before it are decided."""
        if offset < self._decided:
            raise ValueError(f"row {offset} was opened after it had been decided")
        self._open[offset] = None
        self._decided = offset + 1

    def passed(self, offset: int) -> None:
        """Note that every row up to and including `offset` is decided."""
        upto = self.position if offset >= self._last else offset + 1
        self._decided = max(upto, self._decided)

    def done(self, offset: int) -> None:
        """Note that an opened row needs no more work. Twice is harmless."""
        self._open.pop(offset, None)

    def seal(self, to: int) -> None:
        """Note that the tallies of all rows below `to`, the end of a block, are written."""
        if not self._sealed or to > self._sealed[-1]:
            self._sealed.append(to)

    @property
    def next(self) -> int:
        """The first offset that is not finished."""
        return next(iter(self._open), self._decided)

    @property
    def committed(self) -> int:
        """The offset that may be committed: an owner to come reads on from there."""
        while self._sealed and self._sealed[0] <= self.next:
            self._committed = max(self._sealed.popleft(), self._committed)
        if self._committed > self._last:  # only holes lie beyond, and holes need no tally
            self._committed = max(self.next, self._committed)
        return self._committed

    def committable(self) -> tuple[int, bytes]:
        """Return the offset that may be committed, and the bitmap of what is finished from there.

        The bitmap never has more than `span` bits, nor than `SPAN`, nor zero bytes at its end.
        """
        offset = self.committed
        finished = self._bits_of_this_life(offset) | self._bits_of_earlier_lives(offset)
        finished &= (1 << min(self.span, SPAN)) - 1
        return offset, finished.to_bytes((finished.bit_length() + 7) // 8, "little")

    @property
    def room(self) -> int:
        """How many more offsets may be handed out; 0 until what holds the commit back is done."""
        return max(0, self.committed + self.span - self.position)

    def _bits_of_this_life(self, offset: int) -> int:
        bits = (1 << min(max(0, self._decided - offset), SPAN)) - 1
        for row in takewhile(lambda row: row < offset + SPAN, self._open):
            bits ^= 1 << (row - offset)
        return bits

    def _bits_of_earlier_lives(self, offset: int) -> int:
        """What they finished beyond the rows decided since."""
        behind = self._decided - self.base
        bits = int.from_bytes(self.earlier, "little") >> behind << behind
        return bits >> (offset - self.base)


@dataclass(slots=True)
class Assignment:
    """The trackers of the partitions that are ours. Words from an earlier epoch are not heard.

    It is the plain half of a `Source`, for every adapter. A finish that comes too late changes
    nothing: its row belongs to another owner, or to ourselves anew.
    """

    trackers: dict[int, Tracker] = field(default_factory=dict)

    def holds(self, record: Record) -> bool:
        """Say whether the record's partition is ours, in the epoch in which it was handed out."""
        return self._tracker(record.partition, record.epoch) is not None

    def open(self, record: Record) -> None:
        """Note that a record has work to do."""
        if tracker := self._tracker(record.partition, record.epoch):
            tracker.open(record.offset)

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that a batch of one partition is decided."""
        if batch and (tracker := self._tracker(batch[-1].partition, batch[-1].epoch)):
            tracker.passed(batch[-1].offset)

    def done(self, record: Record) -> None:
        """Note that an opened record needs no more work."""
        if tracker := self._tracker(record.partition, record.epoch):
            tracker.done(record.offset)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Note that the tallies of all rows below `to` are safely written."""
        if tracker := self._tracker(partition, epoch):
            tracker.seal(to)

    def progress(self, ends: Mapping[int, int]) -> dict[int, Progress]:
        """Return where each partition stands, given the ends of the log."""
        return {
            number: Progress(tracker.next, max(ends.get(number, 0), tracker.next), tracker.epoch)
            for number, tracker in self.trackers.items()
        }

    def _tracker(self, partition: int, epoch: int) -> Tracker | None:
        tracker = self.trackers.get(partition)
        return tracker if tracker is not None and tracker.epoch == epoch else None
