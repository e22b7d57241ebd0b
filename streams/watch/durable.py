"""One partition's state in a host's durable tables: read at the start, written change by change.

A host hands a record to the fold, publishes what it says, and only then writes the changes: what is
published twice has the same key or the same alert id, and what was never written is folded again.
Keys begin with the partition, for a host may keep several in one table.

Both tables of a partition have one sign, written once, before the first items. A log that lost its
begin, or all, lost its sign: nothing else would tell an empty past from one that is gone.
"""

from collections import UserDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from streams.watch.tables import ALARMS, CLOCKS, EPISODES, LEDGERS, POSITIONS, SCORES, Codec, Tables

K = TypeVar("K")
V = TypeVar("V")

PANES: Mapping[str, Codec[Any, Any]] = {"scores": SCORES, "ledgers": LEDGERS}
STATE: Mapping[str, Codec[Any, Any]] = {
    "episodes": EPISODES,
    "alarms": ALARMS,
    "clocks": CLOCKS,
    "positions": POSITIONS,
}
"""The parts of the two tables, in the order in which their changes are written.

Panes come before the clock that says what was evaluated of them, and alarms before it too. An
episode comes before its alarm: noted twice it is one, and an alarm that is ahead notes none.
"""


BEGUN = "begun"
"""The name of the item that is the sign."""


class Change(NamedTuple):
    """An item as a table keeps it. A value of None: it goes."""

    key: bytes
    value: bytes | None


class Journal(UserDict[K, V]):
    """A mapping that remembers which of its items changed."""

    def __init__(self, items: Mapping[K, V]) -> None:
        self.data = dict(items)
        self._changed: dict[K, None] = {}

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self._changed[key] = None

    def __delitem__(self, key: K) -> None:
        super().__delitem__(key)
        self._changed[key] = None

    def touch(self) -> None:
        """Take every item for changed."""
        self._changed |= dict.fromkeys(self.data)

    def drain(self) -> Iterator[tuple[K, V | None]]:
        """Yield what changed since the last time: what was written first, then what goes."""
        changed, self._changed = self._changed, {}
        kept = [key for key in changed if key in self.data]
        yield from ((key, self.data[key]) for key in kept)
        yield from ((key, None) for key in changed if key not in self.data)


def durable_tables(partition: int, panes: Iterable[Change], state: Iterable[Change]) -> Tables:
    """Return a partition's state as the tables hold it; other partitions' items are passed over."""
    parts: dict[str, dict[Any, Any]] = {name: {} for name in [*PANES, *STATE]}
    for codecs, items in ((PANES, panes), (STATE, state)):
        for key, value in items:
            owner, name, rest = key.split(b"|", 2)
            if owner == _owner(partition) and name != BEGUN.encode() and value is not None:
                known, pane = codecs[name.decode()].load(rest.decode(), value.decode())
                parts[name.decode()][known] = pane
    return Tables(**{name: Journal(items) for name, items in parts.items()})


def sign(partition: int, value: bytes | None) -> Change:
    """Return the sign of a partition's two tables, as they keep it."""
    return Change(b"|".join((_owner(partition), BEGUN.encode(), b"")), value)


def empty(tables: Tables) -> None:
    """Have all that a partition's tables hold go, with the next changes."""
    for name in [*PANES, *STATE]:
        items = getattr(tables, name)
        for key in list(items):
            del items[key]


def write_again(tables: Tables) -> None:
    """Have all of a partition's tables written once more, with the next changes."""
    for name in [*PANES, *STATE]:
        getattr(tables, name).touch()


def changes(partition: int, tables: Tables, parts: Mapping[str, Codec[Any, Any]]) -> list[Change]:
    """Return what changed in some parts of a partition's tables since the last time."""
    return [
        Change(b"|".join((_owner(partition), name.encode(), key)), value)
        for name, codec in parts.items()
        for key, value in _encoded(getattr(tables, name), codec)
    ]


def _encoded(
    journal: Journal[Any, Any], codec: Codec[Any, Any]
) -> Iterator[tuple[bytes, bytes | None]]:
    for key, value in journal.drain():
        yield codec.key.dump_json(key), None if value is None else codec.value.dump_json(value)


def _owner(partition: int) -> bytes:
    return str(partition).encode()
