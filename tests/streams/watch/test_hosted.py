"""What a host does around each record: nothing while another may have the partition."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from streams.ports import Record
from streams.watch.changelog import Changelog
from streams.watch.durable import sign
from streams.watch.gaps import Part
from streams.watch.hosted import HostedFold, WatchApp
from streams.watch.options import Options
from streams.watch.partitions import Watches
from tests.fakes import ListSink
from tests.streams.watch.records import a_mark, a_score, worked_off

SCORES, MARKS = "rag.scores", "rag.marks"


class Written(NamedTuple):
    """What Faust says of a write that its broker took."""

    offset: int


@dataclass
class Table:
    """A table whose changelog others may write to as well."""

    data: dict[bytes, bytes] = field(default_factory=dict)
    log: list[tuple[bytes, bytes | None]] = field(default_factory=list)
    refuses: bool = False

    def items(self) -> list[tuple[bytes, bytes]]:
        return list(self.data.items())

    def send_changelog(
        self, partition: int, key: bytes, value: bytes | None
    ) -> "asyncio.Future[Written]":
        answer: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        if self.refuses:
            answer.set_exception(OSError("too large"))
            return answer
        answer.set_result(Written(len(self.log)))
        self.log.append((key, value))
        return answer

    def copy(self) -> "Table":
        return Table(dict(self.data), list(self.log))

    def latest(self) -> dict[bytes, bytes | None]:
        return dict(self.log)

    def without_first(self, count: int) -> "Table":
        """Return the table as a later life reads it from a log that lost its first rows."""
        found = dict(self.log[count:]).items()
        return Table({key: value for key, value in found if value is not None}, list(self.log))


@dataclass
class Running:
    """An app that never rebalances."""

    rebalancing: bool = False


@dataclass
class Hosted:
    """A fold in its host, whether the group answers, and which offsets the log has."""

    answered: bool = True
    log: Sequence[int] = range(100)
    panes: Table = field(default_factory=Table)
    state: Table = field(default_factory=Table)
    sink: ListSink = field(default_factory=ListSink)
    fold: HostedFold = field(init=False)
    at: WatchApp = field(init=False)

    def __post_init__(self) -> None:
        watches = Watches(Options(), SCORES, lambda record, fault: None)
        failed = asyncio.get_running_loop().create_future()
        self.fold = HostedFold(
            watches, MARKS, self.sink, failed, lambda: self.answered, self._first
        )
        self.at = WatchApp(
            Running(), self.panes, self.state, lambda part, to: None, lambda part: None, self._read
        )

    async def _first(self, offsets: Mapping[Part, int]) -> Mapping[Part, int]:
        return {
            part: next(at for at in self.log if at >= offset) for part, offset in offsets.items()
        }

    def _read(self, table: Table, partition: int) -> Changelog:
        return Changelog(table, partition, len(table.log))

    async def score(self, row: int) -> None:
        await self.fold.take(_record(SCORES, row, a_score(row, 60.0 + row).to_json()), self.at)

    async def mark(self, offset: int, *, scores: int) -> None:
        mark = a_mark(300.0 + offset, {0: worked_off(scores)}, scores=scores)
        await self.fold.take(_record(MARKS, offset, mark.to_json()), self.at)


def _record(topic: str, offset: int, value: bytes) -> Record:
    return Record(topic, 0, offset, None, value, 1_772_323_200_000)


async def test_nothing_is_folded_while_the_group_is_silent() -> None:
    host = Hosted(answered=False)
    taking = asyncio.ensure_future(host.score(0))

    await asyncio.wait({taking}, timeout=0.05)
    folded_meanwhile = host.fold.gaps.due(Part(SCORES, 0))
    host.answered = True
    await taking

    assert folded_meanwhile == 0
    assert host.fold.gaps.due(Part(SCORES, 0)) == 1


async def test_a_row_that_waited_for_the_group_is_left_to_the_new_owner() -> None:
    host = Hosted(answered=False)
    taking = asyncio.ensure_future(host.score(0))
    await asyncio.wait({taking}, timeout=0.05)

    await host.fold.forget()
    await taking
    host.answered = True
    await host.mark(0, scores=0)

    assert not without_sign(host.panes.data)


async def test_what_a_former_owner_writes_late_is_written_over() -> None:
    host = Hosted()
    await host.score(0)
    await host.mark(0, scores=1)
    stale = dict(host.panes.log), dict(host.state.log)
    await host.score(1)
    await host.mark(1, scores=2)

    host.panes.log += stale[0].items()
    host.state.log += stale[1].items()
    await host.score(2)
    await host.mark(2, scores=3)

    assert host.panes.latest() == host.panes.data
    assert host.state.latest() == host.state.data


async def test_a_pane_is_written_once_for_all_its_scores_between_two_marks() -> None:
    host = Hosted()
    for row in range(20):
        await host.score(row)
    written_by_scores = list(host.panes.log)
    await host.mark(0, scores=20)

    keys = [key for key, _ in host.panes.log]
    assert not written_by_scores
    assert host.panes.data
    assert len(keys) == len(set(keys))


async def test_what_was_folded_after_the_last_mark_is_folded_again_by_the_next_owner() -> None:
    host = Hosted()
    await host.score(0)
    await host.mark(0, scores=1)
    await host.score(1)
    heir = Hosted(panes=host.panes.copy(), state=host.state.copy())

    heir.fold.take_up(0, heir.at)
    due = heir.fold.gaps.due(Part(SCORES, 0))
    await heir.score(1)
    await heir.mark(1, scores=2)
    await host.mark(1, scores=2)

    assert due == 1
    assert heir.panes.data == host.panes.data


async def test_nothing_is_written_twice_where_nobody_else_wrote() -> None:
    host = Hosted()
    for row in range(3):
        await host.score(row)
        await host.mark(row, scores=row + 1)

    assert len(host.panes.log) == len(set(host.panes.log))


async def test_a_write_that_the_broker_refuses_ends_the_host() -> None:
    host = Hosted()
    await host.score(0)
    before = list(host.state.log)
    host.panes.refuses = True
    await host.score(1)

    marking = asyncio.ensure_future(host.mark(0, scores=2))
    await asyncio.wait({host.fold.failed}, timeout=5)
    marking.cancel()

    assert isinstance(host.fold.failed.exception(), OSError)
    assert host.state.log == before


async def test_a_later_life_goes_on_where_an_earlier_one_was() -> None:
    host = await told(Hosted(), range(3))

    later = await told(Hosted(panes=host.panes.copy(), state=host.state.copy()), (3,))

    assert later.panes.data == (await told(Hosted(), range(4))).panes.data


@pytest.mark.parametrize("lost", ["panes", "state"])
@pytest.mark.parametrize("log_is_there", [True, False])
async def test_tables_of_which_a_changelog_lost_its_begin_are_begun_anew(
    lost: str, log_is_there: bool
) -> None:
    host = await told(Hosted(), range(3))
    found = {"panes": host.panes.copy(), "state": host.state.copy()}
    found[lost] = found[lost].without_first(1) if log_is_there else Table()

    later = await told(Hosted(panes=found["panes"], state=found["state"]), range(4))

    whole = await told(Hosted(), range(4))
    assert without_sign(later.panes.data) == without_sign(whole.panes.data)
    assert without_sign(later.state.data) == without_sign(whole.state.data)
    again = await told(Hosted(panes=later.panes.copy(), state=later.state.copy()), (4,))
    assert again.fold.gaps.due(Part(SCORES, 0)) == 5


async def told(host: Hosted, rows: Iterable[int]) -> Hosted:
    """Have a host read scores, each with its mark."""
    for row in rows:
        await host.score(row)
        await host.mark(row, scores=row + 1)
    return host


def without_sign(table: dict[bytes, bytes]) -> dict[bytes, bytes]:
    key, _ = sign(0, None)
    return {name: value for name, value in table.items() if name != key}


async def test_a_row_behind_a_hole_of_the_log_is_folded_at_once() -> None:
    host = Hosted(log=(0, 1, 5, 6))
    for row in host.log:
        await host.score(row)

    assert host.fold.gaps.due(Part(SCORES, 0)) == 7


async def test_a_row_behind_one_that_the_log_has_is_not_folded() -> None:
    host = Hosted()
    await host.score(0)
    await host.score(5)

    assert host.fold.gaps.due(Part(SCORES, 0)) == 1
