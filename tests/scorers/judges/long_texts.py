"""Texts longer than a window, and a judge that reads them piece by piece."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from schemas.score import ScoringError, Usage
from scorers.asking.verdicts import verify
from scorers.contract import Answer, JudgeIdentity, Judgement, JudgeUnavailableError
from scorers.judges.retrying import A
from scorers.judges.windows import Window, chat_window
from scorers.questions import (
    Evidence,
    ExtractClaims,
    Question,
    Subject,
    SupportSentence,
    VerifyClaims,
)

WINDOW = chat_window(8_000)
FILL = " ".join(f"Room {n} of the mill is open to visitors on weekdays." for n in range(1_000))
FACT = "The mill was built in 1782."
LONG = (Evidence("1", FILL), Evidence("2", f"{FILL} {FACT}"))


def unavailable(cause: str, *, final: bool = False) -> JudgeUnavailableError:
    error = ScoringError(kind="judge_failed", cause=cause)
    return JudgeUnavailableError(error, Usage(calls=1, attempts=1), final=final)


def by_fact(about: Subject) -> object:
    """Support what stands in the evidence word for word; take out the lines of an answer."""
    match about:
        case VerifyClaims(claims=claims, evidence=evidence):
            return tuple(_judged(claim, evidence) for claim in claims)
        case SupportSentence(sentence=sentence, evidence=evidence):
            return _judged(sentence, evidence)
        case ExtractClaims(answer=answer):
            return tuple(filter(None, answer.splitlines()))
        case _:
            raise AssertionError(f"{about} was not to be asked")


def _judged(claim: str, evidence: tuple[Evidence, ...]) -> Judgement:
    held = [piece.key for piece in evidence if claim in piece.text]
    return Judgement("yes", 1.0, evidence_key=held[0], quote=claim) if held else Judgement("unsure")


@dataclass
class Reader:
    """Answers by a function of the subject, keeps the subjects, and refuses what is too long."""

    answer: Callable[[Subject], object] = by_fact
    reads: Window | None = None
    asked: list[Subject] = field(default_factory=list)
    refused: int = 0
    now: int = 0
    most: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("chat", "1", "m"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        if self.reads is not None and not self.reads.fits(question.about):
            self.refused += 1
            raise unavailable("too_long", final=True)
        self.asked.append(question.about)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        value = self.answer(question.about)
        if isinstance(value, JudgeUnavailableError):
            raise value
        usage = Usage(calls=1, attempts=1, input_tokens=10, cost_usd=0.5)
        return Answer(cast("A", value), usage, "m-1", "sent")


def claims(*texts: str, evidence: tuple[Evidence, ...] = LONG) -> Question[tuple[Judgement, ...]]:
    return verify(VerifyClaims(texts, evidence, "When was it built?"), row="r")


def evidence_of(reader: Reader) -> list[tuple[Evidence, ...]]:
    return [about.evidence for about in reader.asked if isinstance(about, VerifyClaims)]
