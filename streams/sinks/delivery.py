"""A sink that is patient: it tries again until a score is taken, or refused for what it says."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from pydantic import SecretStr
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential
from tenacity.wait import wait_base

from schemas.score import ScoreEvent
from scorers.judges.http import CallFailedError, HttpClient
from streams.ports import Clock
from streams.sinks.posts import Post, Posts

NOT_YET = timedelta(minutes=5)
"""How old a score may be for its span still to be on its way there."""

BACK_OFF = wait_random_exponential(multiplier=1, max=60)

_OF_THE_SCORE = re.compile("http_(400|404|405|409|410|413|415|422)|invalid_output")
"""Refusals that speak of what was sent. All else is the sink's: it is down, busy or locked."""

_WAYS_OUT = {
    "private_address": "set allow_private_addresses, if it is meant",
    "http_401": "the key is refused",
    "http_403": "the key is refused",
}

log = structlog.get_logger()

Sleep = Callable[[float], Awaitable[None]]


@dataclass(slots=True)
class Delivery:
    """Posts scores to one sink. Nothing of what it says is logged, nor its key.

    A span may arrive after its score: while the score is young, a sink that knows no such span is
    asked again. `sent` hears what became of each: `taken`, `refused` or `unsendable`.
    """

    name: str
    url: str
    headers: Mapping[str, SecretStr]
    posts: Posts
    client: HttpClient
    clock: Clock
    sent: Callable[[str, str], None]
    back_off: wait_base = BACK_OFF
    sleep: Sleep = asyncio.sleep
    _waits: bool = field(default=False, init=False)

    async def deliver(self, event: ScoreEvent) -> None:
        """Return once the score was taken, or never will be."""
        post = self.posts(event)
        if post is None:
            self.sent(self.name, "unsendable")
            return
        try:
            await self._until_taken(post, event)
        except CallFailedError as error:
            log.warning(
                "sink_refuses_score", sink=self.name, score=event.event_id, cause=error.cause
            )
            self.sent(self.name, "refused")
            return
        self.sent(self.name, "taken")

    async def _until_taken(self, post: Post, event: ScoreEvent) -> None:
        def again(error: BaseException) -> bool:
            if not isinstance(error, CallFailedError):
                return False
            if error.cause == "http_404":
                return self.clock() - event.scored_at < NOT_YET
            return _OF_THE_SCORE.fullmatch(error.cause) is None

        async for attempt in AsyncRetrying(
            retry=retry_if_exception(again), wait=self._wait, sleep=self.sleep, reraise=True
        ):
            with attempt:
                headers = {name: one.get_secret_value() for name, one in self.headers.items()}
                await self.client.post(self.url + post.path, post.body, headers=headers)
        if self._waits:
            self._waits = False
            log.info("sink_takes_scores_again", sink=self.name)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = None
        if isinstance(error, CallFailedError):
            asked = error.retry_after_seconds
            if error.cause != "http_404" and not self._waits:
                self._waits = True
                way_out = _WAYS_OUT.get(error.cause, "it is tried again until it works")
                log.warning("sink_waits", sink=self.name, cause=error.cause, way_out=way_out)
        return max(self.back_off(state), asked or 0.0)
