"""The third half: from the scores topic to another system, as a group of its own.

It reads what is proved to be written, and commits what was taken, so that a sink that was away gets
everything, and a restart sends again only what was under way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from pydantic import ValidationError

from schemas.score import Scored, ScoreEvent
from streams.address import EVENT_ID
from streams.ports import Record, Source
from streams.sinks.delivery import Delivery

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Sending:
    """A `Half` whose work is one score each. Replays and verdicts written again are no news."""

    source: Source
    delivery: Delivery
    due: bool = False

    def admit(self, batch: Sequence[Record]) -> list[tuple[Record, ScoreEvent]]:
        """Take the verdicts. Whatever else lies there is passed over."""
        last = batch[-1]
        # Nobody tallies what was sent: each batch is a block that is sealed as it comes.
        self.source.seal(last.partition, to=last.offset + 1, epoch=last.epoch)
        return [
            (record, event)
            for record in batch
            if not record.finished and (event := _verdict(record)) is not None
        ]

    async def finish(self, record: Record, work: ScoreEvent) -> None:
        """Deliver it."""
        await self.delivery.deliver(work)

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Nothing is held back."""

    async def beat(self, now: datetime) -> None:
        """Time alone makes nothing due."""


def _verdict(record: Record) -> ScoreEvent | None:
    if all(name != EVENT_ID for name, _ in record.headers):
        return None  # a tally
    try:
        event = ScoreEvent.model_validate_json(record.value or b"")
    except ValidationError:
        at = {"topic": record.topic, "partition": record.partition, "offset": record.offset}
        log.warning("unreadable_message", **at, fault="no score")
        return None
    return event if isinstance(event.outcome, Scored) and event.mode == "live" else None
