"""Time where its marks are gone: those that a score half would have written, made from its scores.

Scores are kept for longer than marks (on Kafka a week against an hour). A mark is made for each
minute in which something was written, or nothing was. It says that event time has come as far as
the earliest row of all that is written in the next five minutes (`watch.lateness`): the true half's
marks wait for open rows too. A row that is later than that is late here, as it was there.

Nobody can say so that the score half stood still: these marks never stop.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from schemas.mark import Mark, PartitionProgress
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import from_milliseconds, to_milliseconds
from streams.watch.panes.pane import DAY, MINUTE

MOST_HELD = 20_000
"""Records that are looked ahead at, at most: a flood is not held in memory whole."""

WRONG_DATE = DAY
"""How far behind the latest a row may be for time to wait for it."""

MAKER = "stored-scores"
"""The worker that these marks name."""


class Kept(NamedTuple):
    """A record of the scores topic: its offset, when it was written (ms since 1970), its message.

    The message is None where it is none, or of no concern.
    """

    offset: int
    written: int
    message: ScoreEvent | Tally | None


@dataclass(slots=True)
class StoredTime:
    """Puts marks between the records of one partition. `take` each in order, then `end`.

    No mark is made for an instant after `until` (ms since 1970): there begin those that are stored,
    or the topic ends. `ahead` is how many ms of writing are looked ahead at.
    """

    until: int
    ahead: int
    _held: deque[Kept] = field(default_factory=deque)
    _times: list[tuple[int, int]] = field(default_factory=list)
    _latest: int = 0
    _newest: int = 0
    _at: int | None = None
    _told: int = 0

    def take(self, kept: Kept) -> Iterator[Kept | Mark]:
        """Take the next record, and yield those that were looked ahead from for long enough."""
        self._newest = max(self._newest, kept.written)
        self._held.append(kept._replace(written=self._newest))
        if kept.message is not None:
            time = event_time(kept.message)
            self._latest = max(self._latest, time)
            if time > self._latest - WRONG_DATE:
                heappush(self._times, (time, kept.offset))
        while self._held[0].written < self._newest - self.ahead or len(self._held) > MOST_HELD:
            yield from self._let_go()

    def end(self) -> Iterator[Kept | Mark]:
        """Yield all that is left, and let time pass up to `until`."""
        while self._held:
            yield from self._let_go()
        yield from self._minutes(self.until, None, scores=0)

    def _let_go(self) -> Iterator[Kept | Mark]:
        kept = self._held[0]
        while self._times and self._times[0][1] < kept.offset:
            heappop(self._times)
        earliest = self._times[0][0] if self._times else None
        yield from self._minutes(kept.written, earliest, scores=kept.offset)
        if earliest is not None and earliest >= self._told + MINUTE and kept.written <= self.until:
            yield self._mark(kept.written, earliest, kept.offset)
        yield self._held.popleft()

    def _minutes(self, to: int, earliest: int | None, *, scores: int) -> Iterator[Mark]:
        """Let time pass minute by minute, no further than the earliest row that is to come."""
        if self._at is None:
            self._at = to
        while self._at + MINUTE <= min(to, self.until):
            at = self._at + MINUTE
            yield self._mark(at, at if earliest is None else min(at, earliest), scores)

    def _mark(self, at: int, time: int, scores: int) -> Mark:
        self._at, self._told = at, max(self._told, time)
        standing = PartitionProgress(
            next=0, end=1, event_time=from_milliseconds(self._told), epoch=0
        )
        return Mark(
            worker=MAKER,
            at=from_milliseconds(at),
            of=1,
            scores=scores,
            partitions={0: standing},
        )


def event_time(message: ScoreEvent | Tally) -> int:
    """Return the instant that a record of the scores topic speaks of, in ms since 1970."""
    if isinstance(message, Tally):
        return to_milliseconds(message.minute)
    return to_milliseconds(min(message.trace.answered_at, message.origin.timestamp))
