"""The notifier follows the alerts topic and tells each receiver, beside the fold and never in it.

What it told it writes to that topic too. After a crash between the telling and the writing, the
receiver is told again: at least once.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Container, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Protocol

import structlog
from pydantic import Discriminator, TypeAdapter, ValidationError

from schemas.alert import Alert, Mute, Notice
from streams.address import alerted
from streams.notify.desk import Desk, Due
from streams.notify.receivers import Receiver
from streams.ports import Clock, Record

LOOK_SECONDS = 1.0
"""How often it looks for what is due."""

_HEARD: TypeAdapter[Alert | Mute | Notice] = TypeAdapter(
    Annotated[Alert | Mute | Notice, Discriminator("kind")]
)

log = structlog.get_logger()


class Follower(Protocol):
    """Follows a topic from its start."""

    def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield what is there, then what comes."""
        ...

    def passed(self, batch: Sequence[Record]) -> None:
        """Hear that a batch was taken in."""
        ...

    def caught_up(self) -> bool:
        """Say whether all that is there was taken in."""
        ...


class NoticeSink(Protocol):
    """Writes notices."""

    async def publish(self, messages: Sequence[Notice]) -> None:
        """Return once they are safely written."""
        ...


@dataclass(slots=True)
class Notifier:
    """Tells receivers of the alerts of the partitions that are ours, one at a time each."""

    follower: Follower
    receivers: Sequence[Receiver]
    sink: NoticeSink
    ours: Callable[[], Container[int]]
    clock: Clock
    _desk: Desk = field(default_factory=Desk, init=False)

    async def run(self) -> None:
        """Follow and tell, until cancelled. A receiver that is down holds up no other."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow())
            for receiver in self.receivers:
                tasks.create_task(self._tell(receiver))

    async def _follow(self) -> None:
        async for batch in self.follower.batches():
            for record in batch:
                message = heard(record)
                if message is not None:
                    self._desk.hear(message, partition=record.partition)
            self.follower.passed(batch)

    async def _tell(self, receiver: Receiver) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not receiver.ready or not self.follower.caught_up():
                continue
            now = self.clock()
            for due in self._desk.due(
                receiver.name, now=now, every=receiver.every, partitions=self.ours()
            ):
                if await receiver.tell(due, now=now):
                    await self._note(receiver, due, now)
                elif not receiver.ready:
                    break

    async def _note(self, receiver: Receiver, due: Due, now: datetime) -> None:
        """Remember what was told. That Alertmanager was told the same again need not be written."""
        alert = due.alert
        notice = Notice(
            receiver=receiver.name,
            alert_id=alert.alert_id,
            dedup_key=alert.dedup_key,
            assistant=alerted(alert),
            status=alert.status,
            at=now,
        )
        self._desk.hear(notice)
        if not (due.reminder and receiver.kind == "alertmanager"):
            await self.sink.publish([notice])


def heard(record: Record) -> Alert | Mute | Notice | None:
    """Read a record of the alerts topic; None where it is no message of ours."""
    try:
        return _HEARD.validate_json(record.value or b"")
    except ValidationError:
        return None
