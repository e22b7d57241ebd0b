"""A judge of which somebody hears each request by itself: how long it took, and how it ended."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from schemas.score import Usage
from scorers.contract import Answer, Judge, JudgeIdentity, JudgeUnavailableError
from scorers.judges.sent import note
from scorers.questions import Question

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt at an endpoint. `resolved` is the model that replied, `error` why none did."""

    judge: str
    model: str | None
    usage: Usage
    resolved: str | None = None
    error: str | None = None


Hears = Callable[[Call], None]


def nobody(call: Call) -> None:
    """Hear nothing."""


@dataclass(frozen=True, slots=True)
class ObservedJudge:
    """Asks once. Put it inside what waits and what asks again: they are no part of a request."""

    judge: Judge
    hears: Hears

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask, and let it be heard how that went."""
        identity = self.judge.identity
        try:
            answer = await self.judge.ask(question)
        except JudgeUnavailableError as error:
            note(error.usage)
            if error.usage.attempts:  # else nothing was sent
                cause = error.error.cause or error.error.kind
                self.hears(Call(identity.name, identity.model, error.usage, error=cause))
            raise
        note(answer.usage)
        self.hears(Call(identity.name, identity.model, answer.usage, answer.resolved))
        return answer
