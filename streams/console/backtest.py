"""What alert rules would have said of the scores that are stored: the watch half's own fold."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.score import ScoreEvent
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.panes.pane import MINUTE
from streams.watch.progression import DELAY
from streams.watch.stored_time import MAKER, Kept

_EVALUATED = timedelta(milliseconds=DELAY + MINUTE)
"""How far past an instant the watermark is once nothing more is said of it."""


class Storage(Protocol):
    """What is stored of live traffic, or of one replay as if it had been live."""

    async def partitions(self) -> list[int]:
        """Return the partitions of the scores topic."""
        ...

    def messages(self, partition: int) -> AsyncIterator[Kept | Mark | Tick]:
        """Yield what a partition's fold takes, in its order."""
        ...


@dataclass(slots=True)
class Heard:
    """What the rules said, in order of time, and from when to when time went.

    `made_until` is how far time had to be made from live scores, None where all of it was told.
    """

    alerts: list[Alert] = field(default_factory=list)
    scores: int = 0
    made_until: datetime | None = None
    start: datetime | None = None
    end: datetime | None = None


async def ask(stored: Storage, options: Callable[[int], Options], *, to: datetime | None) -> Heard:
    """Fold what is stored, partition by partition, and return what is said of the time before `to`.

    `options` are the fold's for so many partitions. Nothing is published, and nothing is written.
    """
    heard = Heard()
    partitions = await stored.partitions()
    told = options(max(1, len(partitions)))
    for partition in partitions:
        await _ask(stored, partition, Watch(told), heard, to)
    heard.alerts.sort(key=lambda alert: alert.evaluated_at)
    return heard


async def _ask(
    stored: Storage, partition: int, watch: Watch, heard: Heard, to: datetime | None
) -> None:
    async for item in stored.messages(partition):
        if isinstance(item, Kept):
            said = watch.fold(item.message, offset=item.offset)
            heard.scores += isinstance(item.message, ScoreEvent)
        else:
            said = watch.fold(item)
        alerts = (one for one in said if isinstance(one, Alert))
        heard.alerts += (one for one in alerts if to is None or one.evaluated_at < to)
        if isinstance(item, Mark) and item.worker == MAKER:
            heard.made_until = max(heard.made_until or item.at, item.at)
        if isinstance(item, Mark) and (now := watch.watermark) is not None:
            heard.start = now if heard.start is None else min(heard.start, now)
            heard.end = now if heard.end is None else max(heard.end, now)
            if to is not None and now > to + _EVALUATED:
                return
