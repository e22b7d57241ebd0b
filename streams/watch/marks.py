"""From marks and ticks to a watermark: how far event time has surely come, and who fell silent.

A `Clock` is a value, one for live traffic and one for each replay's run.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from schemas.mark import Mark, PartitionProgress, Tick
from schemas.wire import from_milliseconds, to_milliseconds
from streams.watch.panes.pane import MINUTE

ALLOWANCE = MINUTE
"""How far behind the marks the watermark stays: rows do not come in order of event time."""

AHEAD = 5 * MINUTE
"""How far past its record's own timestamp an instant may be and still be believed."""

STOPPED_AFTER = 2 * MINUTE
"""How long a source partition may go without a mark before it no longer holds time back."""


@dataclass(frozen=True, slots=True)
class Reached:
    """How far one source partition was when a mark was made; None: before its first row.

    `over`: a run has done its part of it, so that no row of it is to come.
    """

    epoch: int
    at: int
    time: int | None
    over: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """What marks have said so far. Instants are milliseconds since 1970.

    `heard` is when each source partition was last spoken of, `waiting` the marks that speak of
    scores not applied yet, `now` the latest instant named by anyone.
    """

    of: int = 0
    now: int = 0
    heard: dict[int, int] = field(default_factory=dict)
    reached: dict[int, Reached] = field(default_factory=dict)
    waiting: tuple[Mark, ...] = ()
    watermark: int | None = None
    evaluated: int | None = None
    done: bool = False

    def at(self, now: int) -> "Clock":
        """Return the clock once somebody has named a later instant."""
        return replace(self, now=now) if now > self.now else self

    def hearing(self, mark: Mark) -> "Clock":
        """Return the clock once a mark has come, which counts at once; what it says waits.

        Of marks that wait, the last of each worker's minute is enough.
        """
        at = to_milliseconds(mark.at)
        heard = {q: max(at, self.heard.get(q, at)) for q in mark.partitions}
        waiting = [other for other in self.waiting if _slot(other) != _slot(mark)]
        return replace(
            self.at(at),
            of=max(self.of, mark.of),
            heard=self.heard | heard,
            waiting=(*waiting, mark),
        )

    def applied(self, to: int) -> "Clock":
        """Return the clock once the scores below offset `to` are applied: marks of those count."""
        ready = [mark for mark in self.waiting if mark.scores <= to]
        if not ready:
            return self
        reached = self.reached
        for mark in ready:
            reached = reached | _newer(mark, reached)
        waiting = tuple(mark for mark in self.waiting if mark.scores > to)
        done = self.done or any(mark.done for mark in ready)
        return replace(self, reached=reached, waiting=waiting, done=done).advanced()

    def stopped(self) -> dict[int, int]:
        """Return the source partitions that nobody speaks of any more, and since when."""
        return {
            partition: at + STOPPED_AFTER
            for partition, at in self.heard.items()
            if self.now - at > STOPPED_AFTER
        }

    def advanced(self) -> "Clock":
        """Return the clock with the watermark that the marks allow. It never falls."""
        stopped = self.stopped()
        if any(partition not in self.reached for partition in range(self.of)):
            return self
        spots = [spot for n, spot in self.reached.items() if spot.over or n not in stopped]
        time = _come_to(spots)
        if time is None or time - ALLOWANCE <= (self.watermark or 0):
            return self
        return replace(self, watermark=time - ALLOWANCE)


def believed(message: Mark | Tick, written: int) -> Mark | Tick:
    """Return a mark or tick whose instants lie too far after its record's timestamp with that one.

    Else one worker whose clock, or one row whose date, is a day ahead would move the watermark by a
    day, and all that came after would be late. No reader's clock is asked: a replay finds the same.
    """
    latest = from_milliseconds(written)
    bound = from_milliseconds(written + AHEAD)
    if message.at > bound:
        message = message.model_copy(update={"at": latest})
    if isinstance(message, Tick):
        return message
    partitions = {
        partition: progress.model_copy(update={"event_time": latest})
        for partition, progress in message.partitions.items()
        if progress.event_time is not None and progress.event_time > bound
    }
    if not partitions:
        return message
    return message.model_copy(update={"partitions": {**message.partitions, **partitions}})


def _slot(mark: Mark) -> tuple[str, int]:
    return mark.worker, to_milliseconds(mark.at) // MINUTE


def _come_to(spots: Sequence[Reached]) -> int | None:
    """Return the least of what is to be waited for; where a run waits for none, the greatest."""
    waited_for = [spot.time for spot in spots if not spot.over]
    known = [time for time in waited_for if time is not None]
    if waited_for:
        return min(known) if len(known) == len(waited_for) else None
    return max((spot.time for spot in spots if spot.time is not None), default=None)


def _newer(mark: Mark, reached: dict[int, Reached]) -> dict[int, Reached]:
    """Return what a mark says of partitions that no later epoch or instant has spoken of."""
    at = to_milliseconds(mark.at)
    said = {}
    for partition, progress in mark.partitions.items():
        known = reached.get(partition)
        if known is None or (progress.epoch, at) >= (known.epoch, known.at):
            said[partition] = _reached(progress, at, replayed=mark.run is not None)
    return said


def _reached(progress: PartitionProgress, at: int, *, replayed: bool) -> Reached:
    """A partition worked off to its end has come as far as the mark that says so.

    Not in a run, which reads rows of long ago: it is over there, and nobody waits for it.
    """
    over = progress.next >= progress.end
    if over and not replayed:
        return Reached(progress.epoch, at, at)
    time = None if progress.event_time is None else to_milliseconds(progress.event_time)
    return Reached(progress.epoch, at, time, over)
