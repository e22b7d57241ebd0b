"""Looking at topics without taking part: two adapters, the folder log and Kafka."""

from collections.abc import Mapping
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
