"""Reading a stretch of a topic between two times: what lies outside is passed over.

Offsets are no order of time, for a record bears the time at which its producer made it. So the
bounds of a run hold more rows than were asked for, and each is looked at.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from streams.batch import parsed
from streams.ports import Progress, Record, Source
from streams.subscription import Bounds

EVER = (-(1 << 62), 1 << 62)
"""All times, in milliseconds since 1970."""


@dataclass(slots=True)
class _Beside:
    """The rows of one partition that are not ours, each stretch by the end of our rows before it.

    Tallies end with the last row that they count. What follows and is nobody's is sealed with them.
    """

    ours: int
    """The end of the last rows that are ours."""
    sealed: bool = True
    stretches: dict[int, int] = field(default_factory=dict)

    def hand_out(self, end: int) -> None:
        """Note that rows of ours end there."""
        self.ours, self.sealed = end, False

    def pass_over(self, end: int) -> int | None:
        """Note rows that are not ours; return what can be sealed at once."""
        self.stretches[self.ours] = end
        return end if self.sealed else None

    def seal(self, to: int) -> int:
        """Return up to where all is sealed, once the tallies below `to` are written."""
        self.sealed = to >= self.ours
        end = self.stretches.get(to, to)
        self.stretches = {at: end for at, end in self.stretches.items() if at > to}
        return end


@dataclass(slots=True)
class Windowed:
    """A `Source` of the rows whose records say that they are of `window`: from (included) to.

    `bounds` are those of the reading: in `progress` a partition ends there. A stop is asked of
    `ending`, where it is given, which stops the source.
    """

    source: Source
    bounds: Mapping[int, Bounds]
    window: tuple[int, int] = EVER
    ending: Callable[[], None] | None = None
    _beside: dict[tuple[int, int], _Beside] = field(default_factory=dict)
    _whole: dict[int, Sequence[Record]] = field(default_factory=dict)

    async def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches, each of one partition, without the rows that nobody asked for."""
        async for batch in self.source.batches():
            ours = self._ours(batch)
            rows = parsed(batch)
            first, end = batch[0], rows[-1].offset + 1
            where = first.partition, first.epoch
            beside = self._beside.setdefault(where, _Beside(first.offset))
            if ours:
                beside.hand_out(parsed(ours)[-1].offset + 1)
                self._whole[first.partition] = batch
                yield ours
            else:
                self.source.passed(batch)
            if beside.ours < end and (sealed := beside.pass_over(end)) is not None:
                self.source.seal(first.partition, to=sealed, epoch=first.epoch)

    def _ours(self, batch: Sequence[Record]) -> Sequence[Record]:
        begin, end = self.window
        times = [row.timestamp for row in parsed(batch)]
        if begin <= min(times) and max(times) < end:
            return batch
        return [batch[n] for n, at in enumerate(times) if begin <= at < end]

    def open(self, record: Record) -> None:
        """Note that a record has work to do."""
        self.source.open(record)

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that the whole batch is decided, and the rows beside it."""
        self.source.passed(self._whole.pop(batch[0].partition, batch))

    def done(self, record: Record) -> None:
        """Note that an opened record needs no more work."""
        self.source.done(record)

    async def owns(self, record: Record) -> bool:
        """Say whether the record is ours to work on."""
        return await self.source.owns(record)

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Note that the tallies of all rows below `to` are safely written."""
        beside = self._beside.get((partition, epoch))
        self.source.seal(partition, to=beside.seal(to) if beside else to, epoch=epoch)

    def progress(self) -> Mapping[int, Progress]:
        """Return where each partition stands between its bounds."""
        return {
            number: at._replace(end=max(at.next, min(at.end, self.bounds[number].end)))
            for number, at in self.source.progress().items()
            if number in self.bounds
        }

    @property
    def partitions(self) -> int:
        """How many partitions the topic has, ours or not."""
        return self.source.partitions

    def stop(self) -> None:
        """End `batches` soon."""
        (self.ending or self.source.stop)()
