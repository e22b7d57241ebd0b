"""Looking at topics without taking part: two adapters, the folder log and Kafka."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol

from streams.ports import Record


class Glance(Protocol):
    """Reads what is there. Joins no group, commits nothing, and waits a bounded time."""

    async def sizes(self, topic: str) -> Mapping[int, int]:
        """Return about how many records each partition holds; nothing where there is no topic."""
        ...

    async def latest(self, topic: str, rows: int) -> list[Record]:
        """Return up to about so many of the latest records, an equal share of each partition's."""
        ...

    def backwards(self, topic: str) -> AsyncIterator[Sequence[Record]]:
        """Yield a topic's records in stretches, the latest first: of each partition some, in order.

        Ends at what was there first when it began.
        """
        ...

    def onwards(
        self, topic: str, partition: int, *, since: int = 0
    ) -> AsyncIterator[Sequence[Record]]:
        """Yield a partition's records in order, up to what was there last when it began.

        The first is the first that is not older than `since`, in milliseconds since 1970. Raises
        ConnectionError where they cannot be had: none is left out.
        """
        ...

    async def at(self, topic: str, partition: int, offset: int) -> Record | None:
        """Return one record; None where it is no more."""
        ...
