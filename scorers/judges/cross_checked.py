"""A second look at every yes of a model: the rules judge knows a number that is nowhere.

Text that persuades a model persuades no rule. What the rules find is told, and changes no verdict.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from scorers.contract import Answer, Judge, JudgeIdentity, Judgement
from scorers.questions import Question, SupportSentence, VerifyClaims

A = TypeVar("A")

AGAINST_RULES = "against_rules"
LEAST_SUPPORT = 0.2
"""Support by the rules below which a yes is doubtful."""

_MISSING = frozenset({"number", "date"})


@dataclass(frozen=True, slots=True)
class CrossCheckedJudge:
    """Flags a claim that `judge` calls supported where `rules` find next to nothing of it.

    Replies come in crowds. Each is looked at in a turn of the loop of its own, so that calls which
    may begin now need not wait until all of the crowd have been.
    """

    judge: Judge
    rules: Judge
    _turns: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge that decides."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask, and look again at what is called supported."""
        answer = await self.judge.ask(question)
        if not isinstance(question.about, VerifyClaims | SupportSentence):
            return answer
        single = isinstance(answer.value, Judgement)
        judged = cast("Sequence[Judgement]", (answer.value,) if single else answer.value)
        if all(one.verdict != "yes" for one in judged):
            return answer
        async with self._turns:
            await asyncio.sleep(0)
            known = (await self.rules.ask(question)).value
        rules = cast("Sequence[Judgement]", (known,) if single else known)
        seen = tuple(_flagged(one, rule) for one, rule in zip(judged, rules, strict=True))
        return replace(answer, value=cast("A", seen[0] if single else seen))


def _flagged(judged: Judgement, rule: Judgement) -> Judgement:
    low = rule.support is not None and rule.support < LEAST_SUPPORT
    if judged.verdict != "yes" or not (low or _MISSING.intersection(rule.flags)):
        return judged
    return replace(judged, flags=(*judged.flags, AGAINST_RULES))
