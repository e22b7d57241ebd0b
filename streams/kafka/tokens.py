"""Bearer tokens for brokers: had from elsewhere, and used for most of their life."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from aiokafka.abc import AbstractTokenProvider

USED_FOR = 0.8
"""The part of a token's life after which a new one is asked for."""


class TokenError(ConnectionError):
    """No token is to be had. `way_out` says what to set."""

    def __init__(self, what: str, way_out: str, *, lasting: bool = True) -> None:
        super().__init__(f"{what}; {way_out}")
        self.what = what
        self.way_out = way_out
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class Token:
    """A token, and how long it lives."""

    value: str = field(repr=False)
    seconds: float


class _Kept(NamedTuple):
    """A token with the times at which it grows old, and at which it ends."""

    token: Token
    old: float
    ends: float


class KeptTokens(AbstractTokenProvider):
    """Asks for a token when there is none, or when it grows old; many connections share one.

    While no new one is to be had, the old one is used to its end. `way_out` is for whoever reads
    that a broker took none.
    """

    def __init__(
        self,
        fetch: Callable[[], Awaitable[Token]],
        way_out: str,
        stopwatch: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._stopwatch = stopwatch
        self._way_out = way_out
        self._kept: _Kept | None = None
        self._asking = asyncio.Lock()

    @property
    def way_out(self) -> str:
        """What to set, or whom to ask."""
        return self._way_out

    async def token(self) -> str:
        """Return a token that is valid for now. Raises TokenError."""
        async with self._asking:
            now = self._stopwatch()
            kept = self._kept
            if kept is None or now >= kept.old:
                kept = self._kept = await self._renewed(now)
            return kept.token.value

    async def _renewed(self, now: float) -> _Kept:
        try:
            token = await self._fetch()
        except TokenError:
            if self._kept is not None and now < self._kept.ends:
                return self._kept
            raise
        return _Kept(token, now + USED_FOR * token.seconds, now + token.seconds)
