"""What a source reads, for whom, and where it begins: the same on either broker."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from streams.tracker import SPAN

Start = Literal["earliest", "latest"] | datetime
"""Where a group without any commit begins: at the first row, behind the last one, at a time."""


class Bounds(NamedTuple):
    """The offsets of a partition that a replay reads: `start` (included) to `end` (excluded)."""

    start: int
    end: int


def unheard(ids: Collection[str]) -> None:
    """Hear of what was published, and do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A topic that is read for a group.

    `scores` is the topic that is searched for what earlier lives published; `run` names a replay.
    `end_at_end`: it ends at what is there when a partition is taken up. No partition is handed out
    further than `span` rows beyond its first open one. `behind` is told what was published lately
    of rows that are not handed out again. With `bounds`, of a replay, only those partitions are
    read, and only there: neither `start` nor `end_at_end` plays a part.
    """

    topic: str = "rag.traces"
    group: str = "streamgauge"
    start: Start = "earliest"
    scores: str = "rag.scores"
    run: str | None = None
    end_at_end: bool = False
    span: int = SPAN
    behind: Callable[[Collection[str]], None] = unheard
    bounds: Mapping[int, Bounds] | None = None
