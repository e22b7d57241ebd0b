"""Waiting for acknowledgements, each of which may fail, or be given up with its producer."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any


class Acknowledgements:
    """Some answers that are waited for together. (Every score is: `asyncio.wait` costs thrice.)"""

    def __init__(
        self, answers: Sequence[asyncio.Future[Any]], replaced: asyncio.Future[None]
    ) -> None:
        self._left = len(answers)
        self._replaced = replaced
        self._over = asyncio.get_running_loop().create_future()
        for answer in answers:
            answer.add_done_callback(self._came)

    async def come(self, limit: timedelta) -> None:
        """Return when all have come, or one is a failure, or nothing is to be hoped for."""
        self._replaced.add_done_callback(self._end)
        alarm = self._over.get_loop().call_later(limit.total_seconds(), self._end)
        try:
            await self._over
        finally:
            alarm.cancel()
            self._replaced.remove_done_callback(self._end)

    def _came(self, answer: asyncio.Future[Any]) -> None:
        self._left -= 1
        failed = answer.cancelled() or answer.exception() is not None
        if failed or self._left == 0:
            self._end()

    def _end(self, _: object = None) -> None:
        if not self._over.done():
            self._over.set_result(None)
