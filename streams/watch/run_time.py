"""Time in a replay's run, made from its rows: it passes between them as it did when they were live.

A run judges weeks in minutes, so its marks say nothing of its rows' own time. Here every row is in
time: it comes before the mark of the minute that it was answered in. Time begins with the first row
of all and ends with the last one's minute, when rules are evaluated there: what was never replayed
is no silence.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from schemas.mark import Mark, PartitionProgress
from schemas.score import ScoreEvent
from schemas.tally import Tally
from schemas.wire import from_milliseconds
from streams.watch.marks import ALLOWANCE
from streams.watch.panes.pane import MINUTE
from streams.watch.panes.stages import STAGES
from streams.watch.progression import DELAY
from streams.watch.stored_time import Kept

RUN_MAKER = "stored-run"
"""The worker that these marks name."""

FORGOTTEN = STAGES[-1].age
"""A silence after which no pane of before is left."""


class Period(NamedTuple):
    """The first and the last instant of `rows` records, in ms since 1970."""

    begin: int
    end: int
    rows: int


def longest_period(times: Iterable[int]) -> Period | None:
    """Return, of instants in order, the most that no silence parts after which all is forgotten.

    A few rows with a date of long ago must not let years pass, minute by minute.
    """
    best = now = None
    for time in times:
        if now is None or time - now.end > FORGOTTEN:
            now = Period(time, time, 0)
        now = Period(now.begin, time, now.rows + 1)
        if best is None or now.rows >= best.rows:
            best = now
    return best


def passing(
    rows: Iterable[tuple[int, ScoreEvent | Tally]], *, begin: int, end: int
) -> Iterator[Kept | Mark]:
    """Yield one partition's rows, numbered as they come, with a mark for each minute between them.

    `rows` come with their event times and in order of them, and lie in [begin, end], which are the
    same for all partitions.
    """
    at = begin - begin % MINUTE
    number = 0
    for time, message in rows:
        while at + MINUTE <= time:
            at += MINUTE
            yield _mark(at, number)
        yield Kept(number, time, message)
        number += 1
    last = end - end % MINUTE + MINUTE
    while at < last + DELAY + ALLOWANCE:
        at += MINUTE
        yield _mark(at, number)


def _mark(at: int, scores: int) -> Mark:
    now = from_milliseconds(at)
    standing = PartitionProgress(next=0, end=1, event_time=now, epoch=0)
    return Mark(worker=RUN_MAKER, at=now, of=1, scores=scores, partitions={0: standing})
