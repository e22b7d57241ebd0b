"""A sink that says nothing twice: what an earlier life of the watch half published stays said.

The folder log keeps no state of the watch half: after a restart it folds the topics from their
start, and comes to the same panes and alerts again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from schemas.alert import Alert
from schemas.mark import Mark
from schemas.pane import Pane
from schemas.rejection import Rejection
from streams.ports import Message, Record, Sink

log = structlog.get_logger()

_Step = tuple[str, str, datetime]


@dataclass(slots=True)
class ToldOnce:
    """Passes on alerts and panes that were not written before."""

    sink: Sink
    _alerts: set[_Step] = field(default_factory=set)
    _panes: dict[str, tuple[int, bool]] = field(default_factory=dict)

    def remember(self, written: Iterable[Alert | Pane]) -> None:
        """Note what the topics hold already."""
        for message in written:
            self._new(message)

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write what is new."""
        new = [message for message in messages if self._new(message)]
        if new:
            await self.sink.publish(new)
        for alert in new:
            if isinstance(alert, Alert):
                summary = alert.annotations.get("summary", "")
                log.info("alert", status=alert.status, rule=alert.rule, summary=summary)

    def _new(self, message: Message) -> bool:
        match message:
            case Alert():
                step = (message.alert_id, message.status, message.evaluated_at)
                known = step in self._alerts
                self._alerts.add(step)
                return not known
            case Pane():
                state = (message.offset, message.final)
                known = self._panes.get(message.key, (-1, False)) >= state
                if not known:
                    self._panes[message.key] = state
                return not known
            case _:
                return True

    async def mark(self, mark: Mark) -> None:
        """Pass it on."""
        await self.sink.mark(mark)

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Pass it on."""
        await self.sink.reject(record, rejection, at=at)
