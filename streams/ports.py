"""The edges of the flow: where records come from, where results go, what time it is.

Two adapters each: the folder log (`streams/folder`) and Kafka. One suite runs against both.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from schemas.alert import Alert, Notice
from schemas.identity import row_id
from schemas.mark import Mark
from schemas.pane import Pane
from schemas.rejection import Rejection
from schemas.score import ScoreEvent
from schemas.tally import Tally

Clock = Callable[[], datetime]
W = TypeVar("W")

Message = ScoreEvent | Tally | Pane | Alert | Notice
"""What is written for others to read. (A mark is not: its copies differ by partition.)"""


class Record(NamedTuple):
    """One message as it lies on a topic, and what is already done of it.

    `timestamp` in milliseconds since 1970; `epoch` that of the partition's assignment. `finished`:
    an earlier life finished the row (it is tallied again, and neither judged nor rejected again).
    `published`: the event ids that the scores topic already has for this very row.
    """

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    timestamp: int
    headers: tuple[tuple[str, bytes], ...] = ()
    epoch: int = 0
    finished: bool = False
    published: frozenset[str] = frozenset()
    topic_id: str = ""

    @property
    def row_id(self) -> str:
        """The trace id of a row that names none: by the topic's id (its name where it has none)."""
        return row_id(self.topic_id or self.topic, self.partition, self.offset)


class Progress(NamedTuple):
    """How far a source partition has been worked off: `next` is the first offset not finished.

    `stands`: it is ours and is not read on, for its rows cannot be: a person has to look at it.
    """

    next: int
    end: int
    epoch: int
    stands: bool = False


class Source(Protocol):
    """Yields the records that are assigned, and is told what became of them.

    The promise: nothing is ever committed at or past a row that is open or not yet decided, nor
    past a row whose tally is not sealed. None of the plain methods waits.
    """

    def batches(self) -> AsyncIterator[Sequence[Record]]:
        """Yield batches, each of one partition in order of offset, until stopped or at the end."""
        ...

    def open(self, record: Record) -> None:
        """Note that a record has work to do. Those before it in its batch had none."""
        ...

    def passed(self, batch: Sequence[Record]) -> None:
        """Note that the whole batch is decided: what was not opened needs nothing."""
        ...

    def done(self, record: Record) -> None:
        """Note that an opened record needs no more work. Called in any order."""
        ...

    async def owns(self, record: Record) -> bool:
        """Say whether the record is ours to work on, once that is certain.

        It is asked before each request that costs money, for partitions come and go meanwhile.
        """
        ...

    def seal(self, partition: int, *, to: int, epoch: int) -> None:
        """Note that the tallies of all rows below `to` are safely written."""
        ...

    def progress(self) -> Mapping[int, Progress]:
        """Return where each assigned partition stands."""
        ...

    @property
    def partitions(self) -> int:
        """How many partitions the topic has, whoever they are assigned to."""
        ...

    def stop(self) -> None:
        """End `batches` soon. What is open may still finish."""
        ...


@runtime_checkable
class Growing(Protocol):
    """A source that learns how its log goes on by reading it: someone has to look."""

    def look(self) -> None:
        """Look for the log's end anew, though nothing is taken."""
        ...


class Sink(Protocol):
    """Takes what the flow produces. Returns once it is safely written."""

    async def publish(self, messages: Sequence[Message]) -> None:
        """Write each message to the topic of its kind."""
        ...

    async def mark(self, mark: Mark) -> None:
        """Write a copy to each partition of the marks topic, with that partition's `scores`."""
        ...

    async def reject(self, record: Record, rejection: Rejection, *, at: datetime) -> None:
        """Set a record aside on the dead-letter topic: its bytes as they came, why in headers."""
        ...


class Half(Protocol[W]):
    """What is done with records: decided at once, and finished later where there is work."""

    def admit(self, batch: Sequence[Record]) -> Sequence[tuple[Record, W]]:
        """Decide without waiting, and return what has work. Most rows end here: it is cheap."""
        ...

    async def finish(self, record: Record, work: W) -> None:
        """Do the work. On return its results are safely written."""
        ...

    @property
    def due(self) -> bool:
        """Say whether admission left something to settle before time does."""
        ...

    async def settle(self, now: datetime, *, everything: bool = False) -> None:
        """Write what is due; with `everything`, all that is left."""
        ...

    async def beat(self, now: datetime) -> None:
        """Settle, and do what time alone makes due."""
        ...
