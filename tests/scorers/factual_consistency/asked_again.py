"""An assistant that is asked again, and a judge that compares its answers."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.score import Outcome, Scored
from schemas.trace import RagTrace, Turn
from scorers.asking.comparing import compare
from scorers.contract import FreshAnswer
from scorers.factual_consistency import FactualConsistency
from scorers.questions import CompareAnswers
from tests.fakes import ScriptedJudge, a_trace

QUESTION = compare(CompareAnswers("q", base="a", other="b"), row="r")


@dataclass
class ScriptedAssistant:
    """Gives its answers in order, or raises the errors among them."""

    answers: list[str | Exception]
    asked: list[Sequence[Turn]] = field(default_factory=list)
    temperatures: list[float] = field(default_factory=list)
    cancelled: int = 0

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        self.asked.append(messages)
        self.temperatures.append(temperature)
        answer = self.answers.pop(0)
        try:
            await asyncio.sleep(0)
            if answer == "hangs":
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if isinstance(answer, Exception):
            raise answer
        return FreshAnswer(answer)


def says(label: str, score: float) -> dict[str, object]:
    return {"explanation": "e", "label": label, "score": score}


async def outcome(
    judge: ScriptedJudge,
    assistant: ScriptedAssistant | None = None,
    trace: RagTrace | None = None,
    **parameters: Any,
) -> Outcome:
    asked = assistant or ScriptedAssistant(["Paris.", "It is Paris."])
    scorer = FactualConsistency({"helpdesk/production": asked}, **parameters)
    return await scorer.score(trace or a_trace(), judge)


async def scored(judge: ScriptedJudge, **parameters: Any) -> Scored:
    result = await outcome(judge, **parameters)
    assert isinstance(result, Scored)
    return result
