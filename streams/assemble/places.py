"""Which records open traces still need, so that nothing at or behind these is committed. Pure."""

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import NamedTuple


class RecordRef(NamedTuple):
    """Where a record lies, in which assignment of its partition."""

    partition: int
    offset: int
    epoch: int = 0


@dataclass(slots=True)
class Places:
    """The places that are held, and by which traces. Those of a partition come in order."""

    _held: dict[int, OrderedDict[RecordRef, dict[str, None]]] = field(default_factory=dict)

    def hold(self, place: RecordRef, trace_id: str) -> None:
        """Note that a trace needs a record."""
        self._held.setdefault(place.partition, OrderedDict()).setdefault(place, {})[trace_id] = None

    def let_go(self, place: RecordRef, trace_id: str) -> bool:
        """Note that it needs it no more. Returns whether no trace does."""
        held = self._held.get(place.partition, OrderedDict())
        holders = held.get(place)
        if holders is None:
            return False
        holders.pop(trace_id, None)
        if holders:
            return False
        del held[place]
        if not held:
            del self._held[place.partition]
        return True

    def holds(self, place: RecordRef) -> bool:
        """Say whether some trace needs the record."""
        return place in self._held.get(place.partition, ())

    def below(self, partition: int, offset: int) -> list[str]:
        """Return the traces that hold a record of a partition below an offset, each once."""
        found: dict[str, None] = {}
        for place, holders in self._held.get(partition, {}).items():
            if place.offset >= offset:
                break
            found.update(dict.fromkeys(holders))
        return list(found)

    def holders(self, partition: int) -> list[str]:
        """Return all traces that hold a record of a partition, each once."""
        held = self._held.get(partition)
        traces = held.values() if held else ()
        return list(dict.fromkeys(trace for holders in traces for trace in holders))
