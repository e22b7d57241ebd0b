"""The log that an adapter gives to the suite, and a row as producers write it."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple, Protocol

from schemas.wire import to_milliseconds
from streams.address import Topics
from streams.ports import Record, Sink, Source
from streams.subscription import Start
from tests.fakes import NOON

AT = to_milliseconds(NOON)
TOPICS = Topics()


class Row(NamedTuple):
    """A row as a producer writes it."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()
    timestamp: int = AT


class CommittingSource(Source, Protocol):
    """A source that can be asked to commit now: else a test would have to wait for its clock."""

    async def commit(self) -> None: ...


class Log(Protocol):
    """One log, with no topics at the beginning of a test."""

    async def make(self, *, partitions: int) -> None:
        """Make the traces and the scores topic."""

    async def put(self, rows: Sequence[Row], *, partition: int = 0) -> None:
        """Write rows to a partition of the traces topic, as a producer would."""

    def source(
        self, *, start: Start = "earliest", end_at_end: bool = True, minute: int = 0
    ) -> AbstractAsyncContextManager[CommittingSource]:
        """Read the traces topic for the group of the test, so many minutes after noon.

        Entry settles where a group begins.
        """

    def sink(self) -> AbstractAsyncContextManager[Sink]:
        """Write to our topics."""

    async def read(self, topic: str) -> list[Record]:
        """Return all that a topic has, partition after partition."""

    async def kill(self, life: CommittingSource) -> None:
        """Let the life end as kill -9 would: what it had not written is gone."""
