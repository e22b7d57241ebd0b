"""Holes in what a host delivers of a partition: asked for again, and believed in the end. Pure.

A host may pass rows over. Offsets tell: the next row of a partition has the next one, but where the
log itself has a hole (a marker of a transaction). Such a hole stays when its rows are asked for.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

PATIENCE_SECONDS = 5.0
"""How long rows that were read ahead are let go by before the missing ones are asked for anew."""

TRIES = 12
"""How often rows are asked for before a hole is believed: a host may pass them over again."""

Step = Literal["take", "drop", "ask"]


class _Asked(NamedTuple):
    """What was asked for: the first row that may come, when, and how often already."""

    due: int
    first: int
    at: float
    times: int


@dataclass(slots=True)
class Gaps:
    """What is missing of each partition, and was asked for."""

    _asked: dict[int, _Asked] = field(default_factory=dict)

    def step(self, partition: int, offset: int, *, due: int, now: float) -> Step:
        """Say what to do with a row where the one at `due` is next. `now` in seconds."""
        asked = self._asked.get(partition)
        if offset <= due or (asked is not None and asked.due == due and offset <= asked.first):
            self._asked.pop(partition, None)
            return "take"
        if asked is None or asked.due != due:
            return "ask"
        if now < asked.at + PATIENCE_SECONDS:
            return "drop"
        if asked.times < TRIES:
            return "ask"
        del self._asked[partition]
        return "take"

    def asked(self, partition: int, *, due: int, first: int, now: float) -> None:
        """Note that rows from `due` on were asked for. `first`: where the log begins, if later."""
        before = self._asked.get(partition)
        times = before.times if before is not None and before.due == due else 0
        self._asked[partition] = _Asked(due, max(due, first), now, times + 1)

    def unanswered(self, now: float) -> list[tuple[int, int]]:
        """Return the partitions that were asked for and still miss rows, each with what is due."""
        waited = now - PATIENCE_SECONDS
        return [(part, one.due) for part, one in self._asked.items() if one.at <= waited]

    def filled(self, partition: int) -> None:
        """Note that nothing is missing of a partition."""
        self._asked.pop(partition, None)

    def forget(self) -> None:
        """Forget everything: the partitions may be another's."""
        self._asked.clear()
