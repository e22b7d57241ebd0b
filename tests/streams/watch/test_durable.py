"""A partition's state in a host's tables: what was written is what a later life finds."""

from streams.watch import durable
from streams.watch.durable import Change, changes, durable_tables
from streams.watch.fold import Watch
from streams.watch.options import Options
from tests.streams.watch.records import a_mark, a_score, a_tally, bad


class Table:
    """A table of a host, which several partitions share."""

    def __init__(self) -> None:
        self.items: dict[bytes, bytes] = {}

    def write(self, changed: list[Change]) -> None:
        for key, value in changed:
            if value is None:
                del self.items[key]
            else:
                self.items[key] = value

    def read(self) -> list[Change]:
        return [Change(key, value) for key, value in self.items.items()]


def fold_and_write(partition: int, panes: Table, state: Table, minutes: range) -> Watch:
    watch = Watch(Options(), durable_tables(partition, panes.read(), state.read()))
    for minute in minutes:
        watch.fold(a_score(minute, 60 * minute, bad()), offset=2 * minute)
        watch.fold(a_tally(60 * minute, rows=(minute, minute + 1)), offset=2 * minute + 1)
        watch.fold(a_mark(60 * minute + 30, scores=2 * minute + 2))
        panes.write(changes(partition, watch.tables, durable.PANES))
        state.write(changes(partition, watch.tables, durable.STATE))
    return watch


def test_a_later_life_finds_the_state_that_an_earlier_one_had() -> None:
    panes, state = Table(), Table()

    watch = fold_and_write(3, panes, state, range(500))  # long enough that panes were made longer

    found = durable_tables(3, panes.read(), state.read())
    assert found.to_json() == watch.tables.to_json()


def test_partitions_that_share_a_table_do_not_mix() -> None:
    panes, state = Table(), Table()

    one = fold_and_write(1, panes, state, range(30))
    twelve = fold_and_write(12, panes, state, range(10))

    assert durable_tables(1, panes.read(), state.read()).to_json() == one.tables.to_json()
    assert durable_tables(12, panes.read(), state.read()).to_json() == twelve.tables.to_json()
    assert not durable_tables(2, panes.read(), state.read()).scores


def test_what_did_not_change_is_not_written_again() -> None:
    panes, state = Table(), Table()
    watch = fold_and_write(0, panes, state, range(5))

    watch.fold(a_score(5, 60 * 5), offset=10)

    assert len(changes(0, watch.tables, durable.PANES)) == 1
    assert changes(0, watch.tables, durable.PANES) == []
