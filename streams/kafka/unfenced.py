"""Committing for a group without members: nobody refuses it, so we have to be sure ourselves."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from streams.kafka.committer import COMMIT_EVERY_SECONDS, FAREWELL, Committer
from streams.kafka.membership import COMMIT_SECONDS

ANEW_EVERY = timedelta(hours=12)
"""A broker forgets such a group a week after its last commit, though it reads on."""


@dataclass(frozen=True, slots=True)
class Unfenced:
    """Commits while `leased` says that it is for us to do."""

    committer: Committer
    leased: Callable[[], bool]

    async def keep(self) -> NoReturn:
        """Commit every second, and everything anew twice a day. Raises as `commit` does."""
        anew = time.monotonic()
        while True:
            await asyncio.sleep(COMMIT_EVERY_SECONDS)
            if time.monotonic() - anew > ANEW_EVERY.total_seconds():
                self.forget()
                anew = time.monotonic()
            await self.commit()

    async def commit(self) -> None:
        """Commit now what is done. Raises ConnectionError where that has failed for 5 minutes."""
        if not self.leased():
            return
        await self.committer.commit()
        if (waited := self.committer.owed.seconds(time.monotonic())) > COMMIT_SECONDS:
            raise ConnectionError(f"what is done could not be committed for {waited:.0f} s")

    async def farewell(self) -> None:
        """Commit for the last time."""
        if self.leased():
            await self.committer.commit(FAREWELL)
        self.committer.be_silent()

    def forget(self) -> None:
        """Have everything committed anew, though nothing has changed."""
        for held in self.committer.holdings.held.values():
            held.written = None
