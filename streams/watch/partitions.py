"""One fold for each partition of the scores and marks topics, and their records on the way in."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.pane import Pane
from streams.ports import Record
from streams.watch.fold import Watch
from streams.watch.marks import believed
from streams.watch.options import Options
from streams.watch.reading import UnreadableMessageError, read_message

Fault = Callable[[Record, str], None]
"""Is told of a record that is no message of ours. It is passed over: nobody waits for it."""


@dataclass(frozen=True, slots=True)
class Watches:
    """The folds of all partitions that this process hosts. `scores` names the scores topic."""

    options: Options
    scores: str
    unreadable: Fault
    partitions: dict[int, Watch] = field(default_factory=dict)

    def fold(self, record: Record) -> list[Pane | Alert]:
        """Take one record in, and return what to publish."""
        try:
            message = read_message(record.value)
        except UnreadableMessageError as error:
            self.unreadable(record, str(error))
            message = None
        if isinstance(message, Mark | Tick):
            message = believed(message, record.timestamp)
        offset = record.offset if record.topic == self.scores else -1
        return self.of(record.partition).fold(message, offset=offset)

    def of(self, partition: int) -> Watch:
        """Return the fold of a partition, begun where there is none."""
        watch = self.partitions.get(partition)
        if watch is None:
            watch = self.partitions[partition] = Watch(self.options)
        return watch

    def tick(self, now: datetime) -> list[Pane | Alert]:
        """Let time pass in all of them."""
        news: list[Pane | Alert] = []
        for watch in self.partitions.values():
            news += watch.fold(Tick(at=now))
        return news
