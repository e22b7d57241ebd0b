"""A judge that answers with probabilities and writes no text: cheap enough for every row."""

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, cast

from schemas.score import Usage
from scorers.contract import Answer, InvalidReplyError, JudgeIdentity, JudgeUnavailableError
from scorers.judges import deciding
from scorers.judges.deciding import NAME, DecideAt, Heard
from scorers.judges.decision_client import DecisionsClient, DecisionsModel, failed
from scorers.judges.decision_questions import ONLY, VERSION, Asking, asking
from scorers.judges.fitting import TooLongError, batches
from scorers.judges.http import HttpClient
from scorers.judges.metered import total
from scorers.judges.sent import note
from scorers.judges.typed import Choice, TypedAnswer, TypedQuestion
from scorers.questions import (
    AnswerCriterion,
    CompareAnswers,
    GradeAnswer,
    Question,
    ScoreStatements,
    Subject,
    SupportSentence,
    VerifyClaims,
)

A = TypeVar("A")

_TURNED = "r"
"""Ends the id of a question whose options stand in reverse."""


@dataclass(frozen=True, slots=True)
class Resumed(Question[A]):
    """A question of which a reply before answered some parts already: only the rest is asked."""

    given: Mapping[str, TypedAnswer] = field(default_factory=dict)


class DecisionsJudge:
    """Asks once: as few requests as fit, all about one text. Put it inside RetryingJudge."""

    def __init__(
        self,
        model: DecisionsModel,
        client: HttpClient,
        *,
        stopwatch: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._model = model
        self._requests = DecisionsClient(model, client, stopwatch)

    @property
    def identity(self) -> JudgeIdentity:
        """The model, the version of the questions, and what else can change a verdict."""
        at, room = self._model.decide_at, self._model.room
        return JudgeIdentity(
            name=NAME,
            version=VERSION,
            model=self._model.model,
            settings={
                "decide_at": {"choice": at.choice, "yes_no": at.yes_no, "score": at.score},
                "orders": self._model.orders,
                "min_label_mass": at.least_mass,
                "context_tokens": room.context_tokens,
                "request_tokens": room.request_tokens,
                "questions_per_request": room.questions,
            },
        )

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask once. Raises JudgeUnavailableError with the cause and what the attempt cost."""
        about = asking(question.about)
        if about is None:
            raise failed("unsupported_question")
        told = dict(question.given) if isinstance(question, Resumed) else {}
        left = {name: one for name, one in self._both(about) if name not in told}
        usage, resolved = Usage(calls=1), None
        try:
            for batch in batches(about.state, left, self._model.room):
                answers, cost = await self._requests.ask(about.state, batch)
                usage, resolved = total(usage, cost), answers.model
                told.update(answers.told)
        except asyncio.CancelledError:
            note(usage)
            raise
        except TooLongError as error:
            raise failed("truncated", usage, final=True) from error
        except JudgeUnavailableError as error:
            error.usage = total(usage, error.usage)
            raise
        if any(name not in told for name in left):
            rest = Resumed(question.about, question.read, question.row, given=told)
            missing = InvalidReplyError("answers are missing", rest=rest)
            missing.usage = usage
            raise missing
        value = _value(question, about, self._heard(about, told), self._model.decide_at)
        return Answer(cast("A", value), usage, resolved)

    def _both(self, about: Asking) -> Iterator[tuple[str, TypedQuestion]]:
        """Yield the questions, choices in as many orders as are asked for."""
        for name, one in about.questions.items():
            yield name, one
            if self._model.orders > 1 and isinstance(one, Choice):
                yield name + _TURNED, one.turned

    def _heard(self, about: Asking, told: Mapping[str, TypedAnswer]) -> dict[str, Heard]:
        return {
            name: Heard(tuple(told[one] for one in (name, name + _TURNED) if one in told))
            for name in about.questions
        }


def _value(
    question: Question[object], about: Asking, heard: Mapping[str, Heard], at: DecideAt
) -> object:
    """Return what the probabilities say, in the words that the subject's scorer expects."""
    items = [heard[f"c{n}"] for n, _ in enumerate(about.items)]
    match question.about:
        case VerifyClaims():
            return tuple(deciding.claim(one, at) for one in items)
        case ScoreStatements():
            return deciding.statements(about.items, items, at)
        case SupportSentence(threshold=threshold):
            return deciding.sentence(items[0], at, threshold=threshold)
        case CompareAnswers():
            return deciding.comparison(heard["label"], heard["level"], at)
        case GradeAnswer():
            return deciding.grade(about.items, items, heard["grade"], at)
        case about_one:
            return _one(about_one, heard[ONLY], at)


def _one(about: Subject, heard: Heard, at: DecideAt) -> object:
    """Return what the one question of a subject says."""
    if isinstance(about, AnswerCriterion):
        return deciding.chosen(heard, about.options, at)
    return deciding.contradiction(heard)
