"""A judge within the limits of its endpoint: pace, places, and a breaker that hears of all."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from scorers.asking.ours import check_ours
from scorers.contract import Answer, Judge, JudgeIdentity, JudgeUnavailableError
from scorers.judges.breaker import Breaker
from scorers.judges.concurrency import Concurrency
from scorers.judges.pace import Pace
from scorers.judges.slots import Slots
from scorers.questions import Question, Subject
from scorers.subjects import size

A = TypeVar("A")

_BYTES_A_TOKEN = 4
_LEARNS = 0.1
"""How much a call changes what is believed of tokens."""


@dataclass(slots=True)
class Limits:
    """What all calls to one endpoint share. `said` is told of pauses: a cause, or None at an end.

    `ratio` is how many tokens a call really takes for each that its judged text was guessed at; it
    is learnt from the replies.
    """

    concurrency: Concurrency
    requests: Pace = field(default_factory=lambda: Pace(None))
    tokens: Pace = field(default_factory=lambda: Pace(None))
    breaker: Breaker = field(default_factory=Breaker)
    said: Callable[[str | None], None] | None = None
    ratio: float = field(default=1.0, init=False)
    cause: str | None = field(default=None, init=False)
    slots: Slots = field(init=False)

    def __post_init__(self) -> None:
        self.slots = Slots(lambda: self.concurrency.allowed)

    def wait_seconds(self, now: float, guess: float) -> float:
        """Take a turn for one request of so many tokens, and return how far away it is."""
        return max(self.requests.wait_seconds(now), self.tokens.wait_seconds(now, guess))

    def guess(self, about: Subject) -> float:
        """Return how many tokens a question may take; 0 where nothing depends on it."""
        if self.tokens.per_minute is None:
            return 0.0
        return self.ratio * max(1, size(about) // _BYTES_A_TOKEN)

    def learn(self, guess: float, took: int) -> None:
        """Note how many tokens a call took that was guessed to take `guess`."""
        if guess:
            self.tokens.correct(took - guess)
            self.ratio += _LEARNS * (self.ratio * took / guess - self.ratio)

    def failed(self, error: JudgeUnavailableError, now: float) -> None:
        """Note a call without an answer."""
        cause = error.error.cause
        self.concurrency.note(refused=cause == "rate_limited")
        if error.concerns_all:
            self.cause = cause
            if self.breaker.failed(now) and self.said:
                self.said(cause)

    def answered(self) -> None:
        """Note an answer."""
        self.concurrency.note(refused=False)
        if self.breaker.answered() and self.said:
            self.said(None)


@dataclass(frozen=True, slots=True)
class BoundedJudge:
    """Waits for its turn, holds a place for the length of one attempt, and notes how it ended."""

    judge: Judge
    limits: Limits

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask once, when there is room. Raises NotOursError where the row has gone meanwhile."""
        limits, now = self.limits, asyncio.get_running_loop().time
        guess = limits.guess(question.about)
        if wait := limits.wait_seconds(now(), guess):
            await asyncio.sleep(wait)
        async with limits.slots:
            await check_ours()
            try:
                answer = await self.judge.ask(question)
            except JudgeUnavailableError as error:
                limits.failed(error, now())
                raise
            limits.answered()
        limits.learn(guess, answer.usage.input_tokens + answer.usage.output_tokens)
        return answer
