"""The score half's bookkeeping: tallies written and sealed in order, and marks of its progress."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime

from schemas.mark import Mark
from streams.ports import Sink, Source
from streams.scoring.tallying import Closed, Tallying


@dataclass(frozen=True, slots=True)
class Books:
    """What one worker writes about its rows, beside their scores; `run` names a replay."""

    tallying: Tallying
    source: Source
    sink: Sink
    worker: str
    run: str | None = None
    _marked: set[int] = field(default_factory=set)
    _owed: deque[Closed] = field(default_factory=deque)
    _settling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Write the tallies of ended blocks (or all), and let their ends be committed.

        A block is owed until it is sealed: whoever is cancelled while writing it leaves it to the
        next, for an end may be sealed only after those before it. Written twice it counts once.
        """
        async with self._settling:
            self._owed.extend(self.tallying.close(now, everything=everything))
            while self._owed:
                block = self._owed[0]
                await self.sink.publish(block.tallies)
                self.source.seal(block.partition, to=block.to, epoch=block.epoch)
                self._owed.popleft()

    async def beat(self, now: datetime) -> None:
        """Settle, and tell the watch half how far this worker has got, if it has anything.

        Of a partition that stands nothing is told any more, for then somebody is woken: the watch
        half calls itself blind, and goes on with the others. Once it has to have heard of it.
        """
        await self.settle(now)
        await self._mark(now)

    async def end(self, now: datetime) -> None:
        """Tell the watch half that the run is over, once all of it is settled."""
        await self._mark(now, done=True)

    async def _mark(self, now: datetime, *, done: bool = False) -> None:
        progress = self.source.progress()
        told = {n: at for n, at in progress.items() if not at.stands or n not in self._marked}
        self._marked.update(told)
        partitions = self.tallying.worked_off(told)
        if partitions or done:
            mark = Mark(
                worker=self.worker,
                at=now,
                run=self.run,
                done=done,
                of=self.source.partitions,
                partitions=partitions,
            )
            await self.sink.mark(mark)
