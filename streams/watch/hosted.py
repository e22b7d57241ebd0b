"""The fold in a host that keeps its tables: what is done around each record, whatever the host.

The host may deliver rows twice, out of turn or not at all, and commits what it likes: the offsets
that stand in the tables say what was applied, and rows are taken in that order (`gaps`).
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog

from streams.ports import Record, Sink
from streams.watch import durable
from streams.watch.durable import Change, changes, durable_tables
from streams.watch.fold import Watch
from streams.watch.gaps import Gaps, Part
from streams.watch.partitions import Watches

log = structlog.get_logger()


class App(Protocol):
    """What is used of the app that hosts."""

    rebalancing: bool

    @property
    def producer(self) -> Any:
        """What the tables' changelogs are written with."""


@dataclass(frozen=True, slots=True)
class WatchApp:
    """The app that runs, and its two tables.

    `passes` has it wait with its commits for no row of a partition below an offset.
    """

    app: App
    panes: Any
    state: Any
    passes: Callable[[Part, int], None]


@dataclass(frozen=True, slots=True)
class HostedFold:
    """The folds of the partitions that the host has.

    `failed` is given what is raised, and nothing is read after it: a host would pass the record
    over and go on.
    """

    watches: Watches
    marks: str
    sink: Sink
    failed: "asyncio.Future[None]"
    gaps: Gaps = field(default_factory=Gaps)

    async def take(self, record: Record, at: WatchApp) -> None:
        """Fold a record that has its turn, publish what it says, then write what it changed."""
        try:
            if not at.app.rebalancing:  # else whoever has the partition then reads it again
                await self._take(record, at)
        except Exception as error:
            self.failed.set_exception(error)
            await asyncio.Event().wait()

    def take_up(self, partition: int, at: WatchApp) -> Watch:
        """Return the fold of a partition, begun from the tables where it is new."""
        if partition not in self.watches.partitions:
            known = durable_tables(partition, _items(at.panes), _items(at.state))
            watch = self.watches.partitions[partition] = Watch(self.watches.options, known)
            due = watch.due
            self.gaps.begin(Part(self.watches.scores, partition), due=due.scores, now=_now())
            self.gaps.begin(Part(self.marks, partition), due=due.marks, now=_now())
        return self.watches.partitions[partition]

    def believe(self, part: Part, *, to: int, at: WatchApp) -> None:
        """Pass over the rows of a partition below an offset: the log has them not."""
        _pass(part, self.gaps.due(part), to, at)
        self.gaps.begin(part, due=to, now=_now())

    async def forget(self, *_: Any, **__: Any) -> None:
        """Forget every partition: the tables know what each new owner needs."""
        self.watches.partitions.clear()
        self.gaps.forget()

    async def _take(self, record: Record, at: WatchApp) -> None:
        watch = self.take_up(record.partition, at)
        part = Part(record.topic, record.partition)
        due = self.gaps.due(part)
        if not self.gaps.takes(part, record.offset, now=_now()):
            return
        if record.offset > due:
            _pass(part, due, record.offset, at)
        if news := self.watches.fold(record):
            await self.sink.publish(news)
        if record.topic == self.marks:
            watch.pass_mark(record.offset)
        await self._write(record.partition, watch, at)

    async def _write(self, partition: int, watch: Watch, at: WatchApp) -> None:
        """Write what changed, while the partition is ours: another writes there after that."""
        if self.watches.partitions.get(partition) is not watch:
            return
        _write(at.panes, changes(partition, watch.tables, durable.PANES))
        if changed := changes(partition, watch.tables, durable.STATE):
            # Two changelogs are acknowledged in any order, and the state says how far the panes
            # are: were it there without them, a later life would evaluate them half empty.
            await at.app.producer.flush()
            if self.watches.partitions.get(partition) is watch:
                _write(at.state, changed)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _pass(part: Part, first: int, to: int, at: WatchApp) -> None:
    if first:  # else the log is older than we are, and began before
        log.warning("rows_missing", **part._asdict(), first=first, next=to)
    at.passes(part, to)


def _items(table: Mapping[bytes, bytes]) -> list[Change]:
    return [Change(key, value) for key, value in table.items()]


def _write(table: Any, changed: list[Change]) -> None:
    for key, value in changed:
        if value is not None:
            table[key] = value
        elif key in table:
            del table[key]
