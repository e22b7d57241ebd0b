"""A judge that asks again when an attempt fails, saying what was wrong with the reply before."""

import asyncio
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from tenacity.wait import wait_base

from schemas.score import Usage
from scorers.asking.retries import BACK_OFF, attempts
from scorers.contract import (
    NO_COST,
    Answer,
    InvalidReplyError,
    Judge,
    JudgeIdentity,
    JudgeUnavailableError,
)
from scorers.judges.metered import total
from scorers.questions import Question

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class RetryingJudge:
    """One budget of `retries` for whatever goes wrong; its last error is raised as it is.

    Put LimitedJudge inside it, not around it: a question that waits to be asked again must not
    keep others from being asked. A wait that would end after `patience_seconds` is not begun.
    """

    judge: Judge
    retries: int = 2
    back_off: wait_base = BACK_OFF
    patience_seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse a number of retries out of range."""
        attempts("n_judge_retries", self.retries)

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask until an answer comes or the budget is spent. The usage is that of all attempts."""
        began = asyncio.get_running_loop().time()
        try:
            return await self.judge.ask(question)
        except JudgeUnavailableError as error:
            failed = error  # the name of an exception ends with its block
        return await self._again(question, failed, began)

    async def _again(
        self, question: Question[A], first: JudgeUnavailableError, began: float
    ) -> Answer[A]:
        """Go on after the first attempt: the policy hears of it as its own, and what it cost.

        Nearly every question is answered at once, and then needs no policy.
        """
        spent = NO_COST
        async for attempt in attempts(
            "n_judge_retries",
            self.retries,
            back_off=self.back_off,
            patience_seconds=self._patience_left(began),
        ):
            with attempt:
                try:
                    if attempt.retry_state.attempt_number == 1:
                        raise first
                    answer = await self.judge.ask(question)
                except JudgeUnavailableError as error:
                    spent = error.usage = _added(spent, error.usage)
                    question = again(question, error)
                    raise
                return replace(answer, usage=_added(spent, answer.usage))
        raise AssertionError("the last attempt raises")

    def _patience_left(self, began: float) -> float | None:
        if self.patience_seconds is None:
            return None
        return max(0.0, self.patience_seconds + began - asyncio.get_running_loop().time())


def again(question: Question[A], error: JudgeUnavailableError) -> Question[A]:
    """Return what to ask after a failed attempt: the same, or only what the reply left out."""
    if isinstance(error, InvalidReplyError):
        # `rest` was made by the question's own reader, so it is read to the same type.
        rest = question if error.rest is None else cast("Question[A]", error.rest)
        return replace(rest, wrong=error.wrong)
    if error.error.cause == "truncated":
        return replace(question, room=question.room * 2)
    return question


def _added(spent: Usage, more: Usage) -> Usage:
    return total(spent, more).model_copy(update={"calls": 1})
