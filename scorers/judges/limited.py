"""A judge that answers at most so many questions at once."""

import asyncio
from dataclasses import dataclass
from typing import TypeVar

from scorers.contract import Answer, Judge, JudgeIdentity
from scorers.parameters import whole
from scorers.questions import Question

A = TypeVar("A")

MOST_AT_ONCE = 64


def slots(concurrency_limit: int) -> asyncio.Semaphore:
    """Return the slots that a scorer's calls to judge and assistant share: 1 to 64."""
    whole("concurrency_limit", concurrency_limit, least=1, most=MOST_AT_ONCE)
    return asyncio.Semaphore(concurrency_limit)


@dataclass(frozen=True, slots=True)
class LimitedJudge:
    """Holds a slot for the length of one attempt. Others may share the same slots."""

    judge: Judge
    slots: asyncio.Semaphore

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Wait for a slot, then ask."""
        async with self.slots:
            return await self.judge.ask(question)
