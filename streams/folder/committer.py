"""Writing down how far a group has got: once a second, where there is anything new."""

import asyncio
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import NoReturn

import structlog

from schemas.wire import to_milliseconds
from streams.commits import Metadata, encode
from streams.folder.groups import Commit, Group
from streams.folder.owned import Checkpoint, Owned
from streams.folder.polling import Sleep
from streams.ports import Clock

COMMIT_EVERY = 1.0
"""Seconds between two commits."""

log = structlog.get_logger()


@dataclass(slots=True)
class Committer:
    """Commits the partitions that are owned. One commit is in flight at a time."""

    group: Group
    topic: str
    topic_id: str
    owned: Mapping[int, Owned]
    clock: Clock
    _written: dict[int, Checkpoint] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _count: Iterator[int] = field(default_factory=count)

    def begin(self) -> None:
        """Write down the new epoch, and where the partitions begin that had no commit."""
        for number, owned in self.owned.items():
            if owned.since is not None:
                self._written[number] = owned.checkpoint()
        changed = self._changed()
        self.group.commit(self.topic, self._commits(changed))
        self._written.update(changed)

    async def commit(self) -> None:
        """Commit what has changed. Raises OSError where the disk refuses."""
        async with self._turn:
            if changed := self._changed():
                commits = self._commits(changed)
                await asyncio.to_thread(self.group.commit, self.topic, commits)
                self._written.update(changed)

    async def keep(self, sleep: Sleep) -> NoReturn:
        """Commit every second. A disk that refuses is reported, and asked again."""
        while True:
            await sleep(COMMIT_EVERY)
            await asyncio.shield(self.commit_or_report())

    async def commit_or_report(self) -> None:
        """Commit; a commit that fails costs repeated work after a restart, and no row."""
        try:
            await self.commit()
        except OSError as error:
            log.warning("commit_failed", group=str(self.group.file), error=str(error))

    async def remember(self, number: int) -> None:
        """Write down by what a partition's rows were dated, if that is new. Raises OSError."""
        written = self._written.get(number)
        if self.owned[number].sightings.told and (
            written is None or self.owned[number].checkpoint().seen != written.seen
        ):
            await self.commit()

    def _changed(self) -> dict[int, Checkpoint]:
        checkpoints = {number: owned.checkpoint() for number, owned in self.owned.items()}
        return {n: found for n, found in checkpoints.items() if self._written.get(n) != found}

    def _commits(self, changed: Mapping[int, Checkpoint]) -> dict[int, Commit]:
        now = to_milliseconds(self.clock())
        return {
            number: Commit(offset=offset, metadata=self._metadata(number, finished, now), seen=seen)
            for number, (offset, finished, seen) in changed.items()
        }

    def _metadata(self, number: int, finished: bytes, now: int) -> str:
        at = self.owned[number].committed_at(now)
        return encode(Metadata(self._nonce(), self.topic_id, at, finished))

    def _nonce(self) -> str:
        return f"{os.getpid()}-{next(self._count)}"
