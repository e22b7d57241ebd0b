"""What became of each block of source rows, counted while they are admitted. Pure."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from schemas.mark import PartitionProgress
from schemas.rejection import Rejection
from schemas.tally import UNKNOWN_ASSISTANT, Block, ScorerTally, StratumTally, Tally
from schemas.wire import from_milliseconds
from streams.ports import Progress, Record
from streams.scoring.draws import MINUTE_MS, Draw, Draws

MAX_ROWS = 4096
MAX_AGE = timedelta(seconds=10)


@dataclass(slots=True)
class _Stratum:
    seen: int = 0
    shed: int = 0
    drawn: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class _Cell:
    """One assistant's rows of one minute."""

    strata: defaultdict[str, _Stratum] = field(default_factory=lambda: defaultdict(_Stratum))
    rejected: int = 0


@dataclass(slots=True)
class _Partition:
    """The block that is being filled, and how far event time had come at some offsets."""

    topic: str
    number: int
    epoch: int
    start: int
    to: int
    began: datetime
    cells: defaultdict[tuple[str, int], _Cell] = field(default_factory=lambda: defaultdict(_Cell))
    rises: deque[tuple[int, int]] = field(default_factory=deque)
    greatest: int = -1
    reached: int | None = None

    def rise(self, offset: int, greatest: int) -> None:
        """Note the greatest event time of the rows up to an offset, where it rose."""
        if greatest > self.greatest:
            self.greatest = greatest
            self.rises.append((offset, greatest))


@dataclass(frozen=True, slots=True)
class Closed:
    """A finished block: once its tallies are written, `to` may be committed."""

    partition: int
    to: int
    epoch: int
    tallies: Sequence[Tally]


@dataclass(slots=True)
class Tallying:
    """Counts rows by block, and remembers how event time went.

    A block ends after 4,096 rows or 10 s, or when it is cut. A partition that comes back under a
    new epoch starts afresh, since the rows of its unfinished block come again. `chances` are those
    of a stratum for an assistant.
    """

    chances: Callable[[str, str], Mapping[str, float]]
    clock: Callable[[], datetime]
    run: str | None = None
    _partitions: dict[int, _Partition] = field(default_factory=dict)
    _full: list[Closed] = field(default_factory=list)

    def count(self, batch: Sequence[Record], draws: Draws) -> None:
        """Count rows of one partition, in order of offset."""
        partition = self._partition(batch)
        for (assistant, stratum, minute), rows in draws.passed.items():
            if rows:
                partition.cells[assistant, minute].strata[stratum].seen += rows
        for (assistant, stratum, minute), rows in draws.shed.items():
            partition.cells[assistant, minute].strata[stratum].shed += rows
        begin = 0
        for n, fate in draws.others.items():
            _add(partition, batch[n], fate)
            if n > begin:  # work may stop at row n until it is finished: how far was time by then?
                partition.rise(batch[n - 1].offset, max(draws.times[begin:n]))
            begin = n
        partition.rise(batch[-1].offset, max(draws.times[begin:]))
        partition.to = batch[-1].offset + 1

    def _partition(self, batch: Sequence[Record]) -> _Partition:
        """Return where the batch is counted: in a new block, where it would not fit the old one."""
        first = batch[0]
        partition = self._partitions.get(first.partition)
        if partition is None or partition.epoch != first.epoch:
            partition = _started(first, self.clock())
            self._partitions[first.partition] = partition
        elif partition.cells and batch[-1].offset - partition.start >= MAX_ROWS:
            self._full.append(self._close(partition, self.clock()))
        return partition

    @property
    def full(self) -> bool:
        """Say whether a block waits to be written."""
        return bool(self._full)

    def close(self, now: datetime, *, everything: bool = False) -> list[Closed]:
        """End the blocks that are old enough (or all), and hand out every ended one once."""
        for partition in self._partitions.values():
            old = now - partition.began >= MAX_AGE
            if partition.cells and (old or everything):
                self._full.append(self._close(partition, now))
        closed, self._full = self._full, []
        return closed

    def cut(self) -> None:
        """End every block: the probabilities are about to change, and a block has one of each."""
        for partition in self._partitions.values():
            if partition.cells:
                self._full.append(self._close(partition, self.clock()))

    def _close(self, partition: _Partition, now: datetime) -> Closed:
        tallies = list(self._tallies(partition, now))
        closed = Closed(partition.number, partition.to, partition.epoch, tallies)
        partition.start, partition.began, partition.cells = partition.to, now, defaultdict(_Cell)
        return closed

    def _tallies(self, partition: _Partition, now: datetime) -> Iterator[Tally]:
        source = Block(
            topic=partition.topic,
            partition=partition.number,
            from_=partition.start,
            to=partition.to,
            epoch=partition.epoch,
        )
        for (assistant, minute), cell in partition.cells.items():
            yield Tally(
                source=source,
                assistant=assistant,
                minute=from_milliseconds(minute * MINUTE_MS),
                run=self.run,
                strata={name: self._stratum(assistant, name, s) for name, s in cell.strata.items()},
                rejected=cell.rejected,
                at=now,
            )

    def _stratum(self, assistant: str, name: str, counts: _Stratum) -> StratumTally:
        scorers = {
            scorer: ScorerTally(probability=chance, sampled=counts.drawn.get(scorer, 0))
            for scorer, chance in self.chances(name, assistant).items()
        }
        return StratumTally(seen=counts.seen, shed=counts.shed, scorers=scorers)

    def worked_off(self, progress: Mapping[int, Progress]) -> dict[int, PartitionProgress]:
        """Return what a mark says of each partition, by how far the source has got."""
        return {number: self._worked_off(number, p) for number, p in progress.items()}

    def _worked_off(self, number: int, progress: Progress) -> PartitionProgress:
        partition = self._partitions.get(number)
        if partition is None or partition.epoch != progress.epoch:
            return PartitionProgress(next=progress.next, end=progress.end, epoch=progress.epoch)
        while partition.rises and partition.rises[0][0] < progress.next:
            partition.reached = partition.rises.popleft()[1]
        return PartitionProgress(
            next=progress.next,
            end=progress.end,
            event_time=None if partition.reached is None else from_milliseconds(partition.reached),
            epoch=progress.epoch,
        )


def _add(partition: _Partition, record: Record, fate: Draw | Rejection) -> None:
    """Count one row: a rejected one in the minute of its record."""
    if isinstance(fate, Rejection):
        minute = record.timestamp // MINUTE_MS
        partition.cells[fate.assistant or UNKNOWN_ASSISTANT, minute].rejected += 1
        return
    at = record.timestamp if fate.at is None else fate.at
    stratum = partition.cells[fate.assistant, at // MINUTE_MS].strata[fate.stratum]
    stratum.seen += 1
    for scorer, _ in fate.drawn:
        stratum.drawn[scorer] = stratum.drawn.get(scorer, 0) + 1


def _started(record: Record, now: datetime) -> _Partition:
    return _Partition(
        topic=record.topic,
        number=record.partition,
        epoch=record.epoch,
        start=record.offset,
        to=record.offset,
        began=now,
    )
