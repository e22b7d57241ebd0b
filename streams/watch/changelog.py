"""A partition of a table and its changelog: what is written, and whether another writes there too.

A host that was stopped or cut off, and whose partitions another has by now, still sends what it had
in hand when it wakes. That is older than what is there, and a later life would read it last.
"""

from collections.abc import Awaitable, Iterable
from dataclasses import dataclass, field
from typing import Any

from streams.watch.durable import Change


@dataclass(slots=True)
class Changelog:
    """One partition of a Faust table, written by us alone while it is ours.

    `end` is the offset that the next write gets: where the log ended when the table was read.
    `owed` is written before anything else.
    """

    table: Any
    partition: int
    end: int
    owed: list[Change] = field(default_factory=list)
    _sent: list[Awaitable[Any]] = field(default_factory=list)

    def write(self, changes: Iterable[Change]) -> None:
        """Write changes to the table, and send them to its changelog."""
        items, owed = self.table.data, self.owed
        self.owed = []
        for key, value in [*owed, *changes]:
            if value is not None:
                items[key] = value
            elif items.pop(key, None) is None:
                continue
            self._sent.append(self.table.send_changelog(self.partition, key, value))

    async def is_ours(self) -> bool:
        """Wait until all is acknowledged, and say whether nobody else has written meanwhile.

        Raises what a write failed with: Faust would log it, and go on without that row.
        """
        sent, self._sent = self._sent, []
        alone = True
        for write in sent:
            offset = (await write).offset
            alone = alone and offset == self.end
            self.end = offset + 1
        return alone
