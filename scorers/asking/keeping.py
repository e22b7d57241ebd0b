"""A judge that keeps what was sent on a row's behalf, for those who ask to see it."""

from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import JsonValue

from schemas.score import NotScorable, Outcome, Scored
from scorers.contract import Answer, Judge, JudgeIdentity
from scorers.questions import Question

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class KeepingJudge:
    """Notes the prompt behind every answer of one row, and the subject that it was made for."""

    judge: Judge
    prompts: list[JsonValue] = field(default_factory=list)

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask, and note what was sent."""
        answer = await self.judge.ask(question)
        if answer.prompt is not None:
            self.prompts.append({"subject": type(question.about).__name__, "text": answer.prompt})
        return answer

    def shown(self, outcome: Outcome) -> Outcome:
        """Return the outcome with the prompts in its breakdown, if it has one."""
        if not isinstance(outcome, Scored | NotScorable):
            return outcome
        breakdown = {**(outcome.breakdown or {}), "prompts": self.prompts}
        return outcome.model_copy(update={"breakdown": breakdown})
