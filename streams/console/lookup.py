"""Finding one trace, its scores or an alert again on the folder log, by reading the topics once."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from schemas.alert import Alert
from schemas.score import ScoreEvent
from schemas.wire import WireModel
from streams.address import Topics
from streams.folder.topic import read
from streams.ports import Record

M = TypeVar("M", bound=WireModel)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Reads topics of a folder log. Slow on long logs."""

    root: Path
    topics: Topics

    def row(self, trace_id: str) -> Record | None:
        """Return the latest row that may be the trace: it holds the id in its key or its body."""
        wanted, found = trace_id.encode(), None
        for record in read(self.root, self.topics.traces):
            if record.key == wanted or wanted in (record.value or b"") or record.row_id == trace_id:
                found = record
        return found

    def scores(self, trace_ids: Collection[str]) -> dict[str, list[ScoreEvent]]:
        """Return the scores of these traces, each verdict once, in the order of their writing."""
        wanted = {trace_id.encode(): trace_id for trace_id in trace_ids}
        found: defaultdict[str, dict[str, ScoreEvent]] = defaultdict(dict)
        for record in read(self.root, self.topics.scores):
            value = record.value or b""
            if any(name in value for name in wanted):
                event = _as(ScoreEvent, value)
                if event is not None and event.trace.trace_id in trace_ids:
                    found[event.trace.trace_id].setdefault(event.event_id, event)
        return {trace_id: list(events.values()) for trace_id, events in found.items()}

    def alerts(self) -> Iterator[Alert]:
        """Yield the steps of all alerts, in the order of their writing."""
        return messages(self.root, self.topics.alerts, Alert)


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
