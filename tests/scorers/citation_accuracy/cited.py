"""Cited answers, and judges of single sentences."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from schemas.score import NotScorable, Scored, ScoringError
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import (
    Answer,
    JudgeIdentity,
    Judgement,
    JudgeUnavailableError,
    Verdict,
)
from scorers.questions import Question, SupportSentence
from tests.fakes import a_trace

A = TypeVar("A")
FERRY = ("The ferry carries 240 passengers.", "Adults pay 85 kroner.", "  ")


@dataclass
class SentenceJudge:
    """Scores a sentence by the word in it that `scores` holds, out of ten; else 9."""

    scores: Mapping[str, object] = field(default_factory=dict)
    breaks_on: str | None = None
    asked: list[SupportSentence] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    under_way: int = 0
    most: int = 0

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("chat", "1")

    async def ask(self, question: Question[A]) -> Answer[A]:
        about = question.about
        assert isinstance(about, SupportSentence)
        self.asked.append(about)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        if self.breaks_on and self.breaks_on in about.sentence:
            raise JudgeUnavailableError(ScoringError(kind="judge_failed", cause="timeout"))
        await asyncio.sleep(0)
        self.finished.append(about.sentence)
        held = [score for word, score in self.scores.items() if word in about.sentence]
        return Answer(question.read({"reason": "so", "score": held[0] if held else 9}))


@dataclass
class VerdictJudge:
    """Gives one verdict after the other."""

    verdicts: list[Verdict]

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity("rules", "1")

    async def ask(self, question: Question[A]) -> Answer[A]:
        judgement = Judgement(self.verdicts.pop(0), support=0.6, flags=("name",))
        return Answer(judgement)  # type: ignore[arg-type]


async def scored(answer: str, judge: SentenceJudge | None = None, **parameters: object) -> Scored:
    scorer = CitationAccuracy(**parameters)  # type: ignore[arg-type]
    outcome = await scorer.score(a_trace(answer, contexts=FERRY), judge or SentenceJudge())
    assert isinstance(outcome, Scored)
    return outcome.model_copy(update={"bad": scorer.bad(outcome)})


def rows(outcome: Scored | NotScorable) -> Sequence[Mapping[str, object]]:
    assert outcome.breakdown is not None
    found = outcome.breakdown["sentence_rows"]
    assert isinstance(found, list)
    return [row for row in found if isinstance(row, dict)]
