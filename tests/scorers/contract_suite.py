"""What every scorer promises, whoever wrote it: subclass ScorerContract and say how to make one."""

import asyncio
import math
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from schemas.identity import canonical
from schemas.score import Failed, InvalidInput, Outcome, Scored
from schemas.trace import Passage, RagTrace, Turn
from scorers.contract import Answer, Judge, JudgeIdentity, Scorer
from scorers.parameters import label
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
from streams.scoring.panel import Seat
from tests.fakes import NOON, A, ScriptedJudge, unavailable

NAME = "Zaphod"
"""A word of every judged text."""

OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Outcome)


def a_row(**changes: object) -> RagTrace:
    """Return a row that every scorer can judge."""
    said = f"{NAME} opened the mill in 1874."
    row = RagTrace(
        trace_id="t-1",
        service="helpdesk",
        answered_at=NOON,
        question=f"When did {NAME} open the mill?",
        history=(Turn(role="user", text=f"Who is {NAME}?"),),
        contexts=(Passage(key="1", text=said),),
        answer=f"{said} [1]",
        citations={"1": said},
        tool_results=(said,),
        reference=said,
    )
    return row.model_copy(update=changes)


def agreeing(about: Subject) -> object:
    """Return the reply of a text judge that finds everything right."""
    match about:
        case VerifyClaims():
            rows = [{"id": n, "reason": "so", "verdict": "yes"} for n, _ in about.numbered]
            return {"verdicts": rows}
        case SupportSentence():
            return {"reason": "so", "score": 10}
        case ScoreStatements():
            return {"statements": ["It opened."], "reasons": ["so"], "statement_scores": [1]}
        case CompareAnswers():
            return {"explanation": "so", "label": "Consistent", "score": 0.9}
        case AnswerCriterion():
            return {"reason": "so", "answer": about.options[0]}
        case GradeAnswer():
            return _graded(about)
        case _:
            raise AssertionError(about)


def _graded(about: GradeAnswer) -> object:
    claim = {
        "claim_text": "in 1874",
        "explanation": "The reference gives the same year.",
        "evidence": "in 1874",
        "scope": "in_reference",
        "verdict": "fully_supported",
    }
    return {
        "claim_verifications": [claim],
        "verdict_summary": "One claim of one is fully supported.",
        "score_justification": "Claim 1 is right.",
        "factual_accuracy_score": 5,
    }


@dataclass
class AnsweringJudge:
    """Answers by a rule, the same each time."""

    rule: Callable[[Subject], object] = agreeing
    asked: list[Subject] = field(default_factory=list)
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("answering", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.asked.append(question.about)
        return Answer(question.read(self.rule(question.about)))


@dataclass
class HangingJudge:
    """Never answers, and counts who gave up."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    given_up: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("hanging", "1"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        self.asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        raise AssertionError


def spoilt(reply: object) -> object:
    """Return a reply with NaN for each number that is no name of a claim."""
    if isinstance(reply, Mapping):
        return {key: one if key == "id" else spoilt(one) for key, one in reply.items()}
    if isinstance(reply, list):
        return [spoilt(one) for one in reply]
    number = isinstance(reply, int | float) and not isinstance(reply, bool)
    return math.nan if number else reply


def sound(outcome: Outcome) -> bool:
    """Say whether an outcome can be published: finite, on its scale, and the same when read."""
    if isinstance(outcome, Scored):
        numbers = (outcome.score, outcome.normalized, outcome.support or 0.0)
        on_scale = all(map(math.isfinite, numbers)) and 0 <= outcome.normalized <= 1
        if not on_scale or not outcome.label or min(outcome.counts.values(), default=0) < 0:
            return False
    return OUTCOME.validate_json(outcome.to_json()) == outcome


CONTENT = (
    "question",
    "history",
    "contexts",
    "answer",
    "citations",
    "tool_results",
    "reference",
)
"""The fields that a scorer may read."""

BLANKS: dict[str, dict[str, object]] = {
    **{f"no {name}": {name: None} for name in CONTENT},
    "nothing but an answer": {name: None for name in CONTENT if name != "answer"},
    "a blank question": {"question": " \n"},
    "a blank answer": {"answer": "\t \u00a0"},
    "an empty answer": {"answer": ""},
    "a blank reference": {"reference": " "},
    "nothing retrieved": {"contexts": (), "citations": {}, "tool_results": ()},
    "blank passages": {"contexts": (Passage(key="1", text=" "),), "citations": {"1": None}},
    "an answer of marks": {"answer": "[1][2] ... \u202e\u200b?!"},
}


class ScorerContract:
    """The promises of `scorers.contract.Scorer`, seen from where the flow sits."""

    def make(self) -> Scorer:
        """Return the scorer, each time anew and with the same parameters."""
        raise NotImplementedError

    def seat(self, judge: Judge) -> Seat:
        return Seat(self.make(), judge, timedelta(seconds=20))

    async def outcome(self, judge: Judge, row: RagTrace | None = None) -> Outcome:
        return (await self.seat(judge).judged(row or a_row())).outcome

    def test_its_name_and_version_can_stand_in_a_label(self) -> None:
        scorer = self.make()

        label("name", scorer.name)
        label("version", f"v{scorer.version}")

    def test_the_same_parameters_are_the_same_identity(self) -> None:
        one, other = self.make(), self.make()

        assert canonical(dict(one.settings)) == canonical(dict(other.settings))
        judge = AnsweringJudge()
        assert self.seat(judge).config_hash == self.seat(judge).config_hash

    async def test_a_row_that_is_whole_gets_a_verdict(self) -> None:
        judge = AnsweringJudge()

        outcome = await self.outcome(judge)

        assert isinstance(outcome, Scored)
        assert sound(outcome)
        assert judge.asked

    async def test_asked_twice_it_says_the_same(self) -> None:
        assert await self.outcome(AnsweringJudge()) == await self.outcome(AnsweringJudge())

    async def test_no_answer_is_no_input(self) -> None:
        for row in (a_row(answer=None), a_row(answer=None, unusable=("answer",))):
            assert isinstance(await self.outcome(AnsweringJudge(), row), InvalidInput)

    @pytest.mark.parametrize("blank", BLANKS.values(), ids=BLANKS)
    async def test_whatever_is_missing_there_is_an_outcome(self, blank: dict[str, object]) -> None:
        assert sound(await self.outcome(AnsweringJudge(), a_row(**blank)))

    def test_whatever_stands_there_there_is_an_outcome(self) -> None:
        loop = asyncio.new_event_loop()

        @settings(max_examples=20)
        @given(st.text(max_size=40), st.text(max_size=40))
        def holds(answer: str, context: str) -> None:
            row = a_row(answer=answer, contexts=(Passage(key="1", text=context),))

            assert sound(loop.run_until_complete(self.outcome(AnsweringJudge(), row)))

        with closing(loop):
            holds()

    async def test_a_judge_that_cannot_be_had_is_an_error_and_no_number(self) -> None:
        outcome = await self.outcome(ScriptedJudge([unavailable("http_503")] * 9))

        assert isinstance(outcome, Failed)
        assert outcome.error.cause == "http_503"

    @pytest.mark.parametrize("reply", [NAME, [], {}, {"verdicts": NAME}, None])
    async def test_a_reply_that_is_none_is_an_error_that_quotes_nothing(
        self, reply: object
    ) -> None:
        outcome = await self.outcome(AnsweringJudge(lambda about: reply))

        assert isinstance(outcome, Failed)
        assert outcome.error.cause == "invalid_output"
        assert NAME not in outcome.model_dump_json()

    async def test_a_number_that_is_none_becomes_no_score(self) -> None:
        outcome = await self.outcome(AnsweringJudge(lambda about: spoilt(agreeing(about))))

        assert sound(outcome)

    async def test_a_row_that_is_given_up_is_given_up_at_once(self) -> None:
        judge = HangingJudge()
        row = asyncio.create_task(self.outcome(judge))
        await judge.asked.wait()

        row.cancel()

        with pytest.raises(asyncio.CancelledError):
            await row
        assert judge.given_up >= 1

    async def test_bad_is_said_of_the_verdict_alone(self) -> None:
        outcome = await self.outcome(AnsweringJudge())

        assert isinstance(outcome, Scored)
        again = [self.make().bad(outcome) for _ in range(2)]
        assert again == [outcome.bad, outcome.bad]
