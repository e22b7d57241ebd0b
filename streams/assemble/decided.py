"""The traces that were closed: what still comes of them is late, and is never a trace again."""

from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass(slots=True)
class Decided:
    """Remembers at most so many trace ids, those that were asked for least recently go first."""

    capacity: int
    _ids: OrderedDict[bytes, None] = field(default_factory=OrderedDict)

    def __contains__(self, trace_id: str) -> bool:
        raw = bytes.fromhex(trace_id)
        if raw not in self._ids:
            return False
        self._ids.move_to_end(raw)
        return True

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, trace_id: str) -> None:
        """Remember a trace; 16 bytes stand for its id."""
        self._ids[bytes.fromhex(trace_id)] = None
        if len(self._ids) > self.capacity:
            self._ids.popitem(last=False)

    def forget(self, trace_id: str) -> None:
        """Take the trace for undecided again."""
        self._ids.pop(bytes.fromhex(trace_id), None)
