"""The score half with its signals: a half and a sink around those of the flow, which knows neither.

A score is told of once it is safely written. What a score does not carry of its row (its root, its
response's id, the batch it came in) goes from the half to the sink with the row's own task.
"""

import random
import time
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

from schemas.mark import Mark
from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.trace import RagTrace
from streams.ports import Half, Message, Record, Sink
from streams.scoring.events import Sampled
from streams.telemetry.evaluations import Evaluation, evaluation
from streams.telemetry.outlet import Outlet
from streams.telemetry.signals import Told
from streams.telemetry.targets import AttachTo, Target, target
from streams.telemetry.work import Work, begun

PATIENCE = timedelta(minutes=10)
"""How long the rows of a batch are waited for: those that were given away never come."""

_UNDER_WAY: ContextVar[tuple[RagTrace | None, Work | None]] = ContextVar(
    "under_way", default=(None, None)
)
"""The row that a task works on, where it could be read, and the batch that it came in."""


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where signals go: each kind that anybody takes."""

    spans: Outlet[Told] | None
    logs: Outlet[Evaluation] | None


@dataclass(frozen=True, slots=True)
class Manner:
    """How scores are told of: the span they belong to, with judged text or without."""

    attach_to: AttachTo = "answer"
    judged_text: bool = False

    def target(self, event: ScoreEvent) -> Target | None:
        """Return the span of production that a score of the row under way belongs to."""
        return target(event, _UNDER_WAY.get()[0], self.attach_to)


@dataclass(frozen=True, slots=True)
class ProjectingSink:
    """Writes, then tells of the scores. One that is only written again was told of before."""

    sink: Sink
    outlets: Outlets
    manner: Manner

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write the messages, and tell of the scores among them."""
        await self.sink.publish(messages)
        for message in messages:
            if isinstance(message, ScoreEvent) and not message.reused:
                self._tell(message)

    async def mark(self, mark: Mark) -> None:
        """Pass it on."""
        await self.sink.mark(mark)

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Pass it on."""
        await self.sink.reject(record, rejection, at=at)

    def _tell(self, event: ScoreEvent) -> None:
        trace, within = _UNDER_WAY.get()

        @cache
        def evaluated() -> Evaluation:
            return evaluation(
                event,
                self.manner.target(event),
                response_id=None if trace is None else trace.response_id,
                judged_text=self.manner.judged_text,
            )

        if self.outlets.logs is not None:
            self.outlets.logs.put(evaluated)
        if self.outlets.spans is not None:
            self.outlets.spans.put(lambda: (evaluated(), within))


@dataclass(slots=True)
class ProjectingHalf:
    """A `Half` around the score half: a span for each batch that it does anything with.

    `system` is what holds the records, as `messaging.system` names it.
    """

    half: Half[Sampled | Rejection]
    outlets: Outlets
    system: str
    group: str
    clock: Callable[[], int] = time.time_ns
    _under_way: dict[tuple[int, int, int], Work] = field(default_factory=dict, init=False)

    def admit(self, batch: Sequence[Record]) -> Sequence[tuple[Record, Sampled | Rejection]]:
        """Admit as the half does. A batch without work is not told of."""
        admitted = self.half.admit(batch)
        if admitted and self.outlets.spans is not None:
            rows = [record for record, _ in admitted]
            ids = Target(random.getrandbits(128) or 1, random.getrandbits(64) or 1)
            work = begun(rows, ids=ids, system=self.system, group=self.group, at=self.clock())
            self._under_way.update(dict.fromkeys(map(_place, rows), work))
        return admitted

    async def finish(self, record: Record, work: Sampled | Rejection) -> None:
        """Finish as the half does, and tell of the batch with its last row."""
        within = self._under_way.pop(_place(record), None)
        row = work.trace if isinstance(work, Sampled) else None
        token = _UNDER_WAY.set((row, within))
        try:
            await self.half.finish(record, work)
        finally:
            _UNDER_WAY.reset(token)
            if within is not None:
                within.left -= 1
                if within.left == 0:
                    self._end(within)

    def _end(self, done: Work) -> None:
        done.ended = self.clock()
        if self.outlets.spans is not None:
            self.outlets.spans.put(lambda: done)

    @property
    def due(self) -> bool:
        """Say what the half says."""
        return self.half.due

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Settle as the half does."""
        await self.half.settle(now, everything=everything)

    async def beat(self, now: datetime) -> None:
        """Beat as the half does. Batches of which nothing more will come are told of as well."""
        await self.half.beat(now)
        old = self.clock() - int(PATIENCE.total_seconds() * 1e9)
        late = {place: one for place, one in self._under_way.items() if one.began < old}
        for place in late:
            del self._under_way[place]
        for one in dict.fromkeys(late.values()):  # rows of one batch have one work
            one.left = 0
            self._end(one)


def _place(record: Record) -> tuple[int, int, int]:
    return record.partition, record.offset, record.epoch
