"""A sink that tells what a run publishes to whoever keeps its accounts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from schemas.mark import Mark
from schemas.rejection import Rejection
from streams.ports import Message, Record, Sink


@dataclass(frozen=True, slots=True)
class CountedSink:
    """A `Sink`. Each of `heard` hears of messages once they are safely written."""

    sink: Sink
    heard: Sequence[Callable[[Sequence[Message]], None]]

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write each message to the topic of its kind."""
        await self.sink.publish(messages)
        for hears in self.heard:
            hears(messages)

    async def mark(self, mark: Mark) -> None:
        """Write a copy to each partition of the marks topic."""
        await self.sink.mark(mark)

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Set a record aside."""
        await self.sink.reject(record, rejection, at=at)
