"""A half that never has anything to do."""

from collections.abc import Sequence
from datetime import datetime
from typing import Never

from streams.ports import Record


class Idle:
    """A half without work."""

    due = False

    def admit(self, batch: Sequence[Record]) -> Sequence[tuple[Record, Never]]:
        return []

    async def finish(self, record: Record, work: Never) -> None: ...

    async def settle(self, now: datetime, *, everything: bool = False) -> None: ...

    async def beat(self, now: datetime) -> None: ...
