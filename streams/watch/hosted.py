"""The fold in a host that keeps its tables: what is done around each record, whatever the host.

The host may deliver rows twice, out of turn or not at all, and commits what it likes: the offsets
that stand in the tables say what was applied, and rows are taken in that order (`gaps`).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import structlog

from streams.ports import Record, Sink
from streams.watch import durable
from streams.watch.changelog import Changelog
from streams.watch.durable import Change, changes, durable_tables, empty, sign, write_again
from streams.watch.fold import Watch
from streams.watch.gaps import Gaps, Part
from streams.watch.partitions import Watches

SILENCE_SECONDS = 0.1
"""How long a host that its group does not answer waits before it looks again."""

log = structlog.get_logger()


class App(Protocol):
    """What is used of the app that hosts."""

    rebalancing: bool


@dataclass(frozen=True, slots=True)
class WatchApp:
    """The app that runs, and its two tables.

    `passes` has it wait with its commits for no row of a partition below an offset. `committed`
    says up to where the group committed a partition, if it did. `changelog` gives a partition of a
    table, as the table was read.
    """

    app: App
    panes: Any
    state: Any
    passes: Callable[[Part, int], None]
    committed: Callable[[Part], int | None]
    changelog: Callable[[Any, int], Changelog]


class _Kept(NamedTuple):
    """The fold of a partition, and where its tables are written. Both have the `sign`."""

    watch: Watch
    panes: Changelog
    state: Changelog
    sign: Change


@dataclass(frozen=True, slots=True)
class HostedFold:
    """The folds of the partitions that the host has.

    `failed` is given what is raised, and nothing is read after it: a host would pass the record
    over and go on. `holds` says whether no other host can have our partitions yet. `first` says
    which row each log has first at or behind an offset (its end, where none is there), if it can.
    """

    watches: Watches
    marks: str
    sink: Sink
    failed: "asyncio.Future[None]"
    holds: Callable[[], bool]
    first: Callable[[Mapping[Part, int]], Awaitable[Mapping[Part, int]]]
    gaps: Gaps = field(default_factory=Gaps)
    _kept: dict[int, _Kept] = field(default_factory=dict)

    async def take(self, record: Record, at: WatchApp) -> None:
        """Fold a record that has its turn, publish what it says, then write what it changed."""
        try:
            if not at.app.rebalancing:  # else whoever has the partition then reads it again
                await self._take(record, at)
        except Exception as error:
            self.failed.set_exception(error)
            await asyncio.Event().wait()

    def take_up(self, partition: int, at: WatchApp) -> None:
        """Begin the fold of a partition from the tables, where it is new.

        Where a table lost what it knew, both are begun anew, from the scores that are there.
        """
        if partition in self._kept:
            return
        known = durable_tables(partition, _items(at.panes), _items(at.state))
        panes, state = (at.changelog(table, partition) for table in (at.panes, at.state))
        found, other = (_sign_in(table, partition) for table in (at.panes, at.state))
        if found.value is None or found != other:
            before = at.committed(Part(self.watches.scores, partition))
            if before or panes.end or state.end:
                log.warning("tables_begun_anew", partition=partition, read_before=before)
            found = sign(partition, b"%d/%d" % (panes.end, state.end))  # there was none like it
            empty(known)
            panes.owed = [*changes(partition, known, durable.PANES), found]
            state.owed = [*changes(partition, known, durable.STATE), found]
        watch = self.watches.partitions[partition] = Watch(self.watches.options, known)
        self._kept[partition] = _Kept(watch, panes, state, found)
        due = watch.due
        self.gaps.begin(Part(self.watches.scores, partition), due=due.scores, now=_now())
        self.gaps.begin(Part(self.marks, partition), due=due.marks, now=_now())

    def believe(self, part: Part, *, to: int, at: WatchApp) -> None:
        """Pass over what the log has not of a partition below an offset."""
        _pass(part, self.gaps.due(part), to, at)
        self.gaps.begin(part, due=to, now=_now())

    async def forget(self, *_: Any, **__: Any) -> None:
        """Forget every partition: the tables know what each new owner needs."""
        self.watches.partitions.clear()
        self._kept.clear()
        self.gaps.forget()

    async def _take(self, record: Record, at: WatchApp) -> None:
        self.take_up(record.partition, at)
        kept, part = self._kept[record.partition], Part(record.topic, record.partition)
        due = self.gaps.due(part)
        asking = {part: due} if self.gaps.wonders(part, record.offset) else {}
        first = await self.first(asking) if asking else {}
        if not await self._is_ours(record.partition, kept):
            return
        if part in first:
            self.gaps.found(part, first[part])
        if not self.gaps.takes(part, record.offset, now=_now()):
            return
        if record.offset > due:
            _pass(part, due, record.offset, at)
        if news := self.watches.fold(record):
            await self.sink.publish(news)
        if record.topic == self.marks:
            kept.watch.pass_mark(record.offset)
        await self._write(record.partition, kept)

    async def _is_ours(self, partition: int, kept: _Kept) -> bool:
        """Say whether a partition is ours still. While the group is silent, that is not known."""
        while (  # noqa: ASYNC110 - the answer comes in another thread
            self._kept.get(partition) is kept and not self.holds()
        ):
            await asyncio.sleep(SILENCE_SECONDS)
        return self._kept.get(partition) is kept

    async def _write(self, partition: int, kept: _Kept) -> None:
        """Write what changed, while the partition is ours: another writes there after that.

        Panes wait for the next change of the state, which marks bring: a later life folds again
        what came after that, and a pane that grows is not written anew for each of its scores.
        Where another wrote all the same, everything is written once more.
        """
        watch, panes, state, begun = kept
        if not await self._is_ours(partition, kept):
            return
        changed = changes(partition, watch.tables, durable.STATE)
        if not changed:
            return
        # Two changelogs are acknowledged in any order, and the state says how far the panes are:
        # were it there without them, a later life would evaluate them half empty.
        panes.write(changes(partition, watch.tables, durable.PANES))
        alone = await panes.is_ours() and await state.is_ours()
        if not alone and await self._is_ours(partition, kept):
            log.warning("another_wrote", partition=partition)
            write_again(watch.tables)
            panes.write([*changes(partition, watch.tables, durable.PANES), begun])
            changed = [*changes(partition, watch.tables, durable.STATE), begun]
            await panes.is_ours()
        if await self._is_ours(partition, kept):
            state.write(changed)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _pass(part: Part, first: int, to: int, at: WatchApp) -> None:
    if first:  # else the log is older than we are, and began before
        log.warning("rows_missing", **part._asdict(), first=first, next=to)
    at.passes(part, to)


def _sign_in(table: Any, partition: int) -> Change:
    key, _ = sign(partition, None)
    return Change(key, table.data.get(key))


def _items(table: Mapping[bytes, bytes]) -> list[Change]:
    return [Change(key, value) for key, value in table.items()]
