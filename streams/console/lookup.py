"""Finding one trace, its scores or an alert again, by reading the topics back from their ends."""

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from schemas.alert import Alert, Mute
from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.trace import RagTrace
from schemas.wire import WireModel
from streams.address import Topics
from streams.folder.topic import read
from streams.glance import Glance
from streams.ports import Record

M = TypeVar("M", bound=WireModel)


PATIENCE = timedelta(seconds=20)
"""How long one topic is searched, the latest records first."""


@dataclass(slots=True)
class Lookup:
    """Searches topics, going back from their ends.

    `literal`: a row's id stands in its record as it is written, so that most need no reading.
    `unread` names the topics whose search was given up, with when the oldest record read was
    written (milliseconds since 1970).
    """

    glance: Glance
    topics: Topics
    decode: Callable[[Record], RagTrace | Rejection]
    patience: timedelta = PATIENCE
    literal: bool = True
    unread: dict[str, int] = field(default_factory=dict)

    async def row(self, trace_id: str, scores: Sequence[ScoreEvent] = ()) -> Record | None:
        """Return the latest row that is the trace, or that cannot be read and holds its id.

        A score of the trace tells where it lies: then nothing is searched.
        """
        for event in reversed(scores):
            at = event.origin
            found = await self.glance.at(at.topic, at.partition, at.offset)
            if found is not None and self._is(found, trace_id):
                return found
        async for records in self._backwards(self.topics.traces):
            if found := max(
                (one for one in records if self._is(one, trace_id)),
                key=lambda one: one.timestamp,
                default=None,
            ):
                return found
        return None

    def _is(self, record: Record, trace_id: str) -> bool:
        wanted, value = trace_id.encode(), record.value or b""
        if record.key == wanted or record.row_id == trace_id:
            return True
        if self.literal and wanted not in value:
            return False
        row = self.decode(record)
        return row.trace_id == trace_id if isinstance(row, RagTrace) else b'"%b"' % wanted in value

    async def scores(
        self, trace_ids: Collection[str], *, of: Callable[[ScoreEvent], bool] = bool
    ) -> dict[str, list[ScoreEvent]]:
        """Return the scores of these traces that are `of` concern, in the order of their writing.

        Live traffic and each run have a verdict once; one that a run found is not its own.
        """
        wanted = {trace_id.encode() for trace_id in trace_ids}
        found: defaultdict[str, dict[tuple[str, str | None], ScoreEvent]] = defaultdict(dict)
        for record in await self._all(self.topics.scores, lambda value: _holds(value, wanted)):
            event = _as(ScoreEvent, record.value or b"")
            if event is not None and event.trace.trace_id in trace_ids and of(event):
                whose = None if event.reused else event.run
                found[event.trace.trace_id].setdefault((event.event_id, whose), event)
        return {trace_id: list(events.values()) for trace_id, events in found.items()}

    async def alerts(self) -> list[Alert]:
        """Return the steps of all alerts, in the order of their writing."""
        return await self._of_alerts(Alert)

    async def mutes(self) -> list[Mute]:
        """Return all mutes, each once, in the order of their writing."""
        return list({mute.id: mute for mute in await self._of_alerts(Mute)}.values())

    async def _of_alerts(self, kind: type[M]) -> list[M]:
        records = await self._all(self.topics.alerts, bool)
        read = (_as(kind, record.value or b"") for record in records)
        return [message for message in read if message is not None]

    async def _all(self, topic: str, keep: Callable[[bytes], bool]) -> list[Record]:
        """Return the records whose values are to be kept, the first ones first."""
        stretches = [
            [record for record in records if keep(record.value or b"")]
            async for records in self._backwards(topic)
        ]
        return list(chain.from_iterable(reversed(stretches)))

    async def _backwards(self, topic: str) -> AsyncIterator[Sequence[Record]]:
        until = time.monotonic() + self.patience.total_seconds()
        async for records in self.glance.backwards(topic):
            yield records
            if records and time.monotonic() > until:
                self.unread[topic] = min(record.timestamp for record in records)
                return


def _holds(value: bytes, wanted: Collection[bytes]) -> bool:
    return any(name in value for name in wanted)


def messages(root: Path, topic: str, kind: type[M]) -> Iterator[M]:
    """Yield a topic's messages of one kind; what is none is passed over."""
    for record in read(root, topic):
        message = _as(kind, record.value or b"")
        if message is not None:
            yield message


def _as(kind: type[M], value: bytes) -> M | None:
    """Read a message of ours; None where it is another one."""
    try:
        return kind.model_validate_json(value)
    except ValidationError:
        return None
