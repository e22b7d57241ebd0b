"""A judge that notes what a row cost, and which models answered it."""

from dataclasses import dataclass, field
from typing import TypeVar

from schemas.score import Usage
from scorers.contract import Answer, Judge, JudgeIdentity, JudgeUnavailableError
from scorers.questions import Question

A = TypeVar("A")


@dataclass(slots=True)
class MeteredJudge:
    """Adds up the usage of one row's questions, of those that failed too."""

    judge: Judge
    usage: Usage = field(default_factory=Usage)
    resolved: list[str] = field(default_factory=list)

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask, and note what it cost."""
        try:
            answer = await self.judge.ask(question)
        except JudgeUnavailableError as error:
            self.usage = total(self.usage, error.usage)
            raise
        self.usage = total(self.usage, answer.usage)
        if answer.resolved is not None and answer.resolved not in self.resolved:
            self.resolved.append(answer.resolved)
        return answer


def total(one: Usage, other: Usage) -> Usage:
    """Add two usages. A cost that is not known stays unknown only while both are."""
    costs = [usage.cost_usd for usage in (one, other) if usage.cost_usd is not None]
    return Usage(
        calls=one.calls + other.calls,
        attempts=one.attempts + other.attempts,
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        cost_usd=sum(costs) if costs else None,
        seconds=one.seconds + other.seconds,
    )
