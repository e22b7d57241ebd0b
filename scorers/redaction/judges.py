"""Who is asked through a row's veil: models hear placeholders, what is local hears what they mean.

What comes back has values in it again only by accident (or by a judge that makes them up): it is
covered before any scorer, prompt, log or event can have it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeVar, cast

from schemas.trace import Turn
from scorers.contract import (
    Answer,
    Assistant,
    FreshAnswer,
    Judge,
    JudgeIdentity,
    Judgement,
    Scorer,
)
from scorers.factual_consistency import FactualConsistency
from scorers.questions import Question, Subject, SupportSentence, VerifyClaims
from scorers.redaction.veil import Veil, as_told
from scorers.subjects import rewritten

A = TypeVar("A")

_OUR_WORDS = frozenset({"verdict", "flags", "decided_by", "escalated", "label", "scope", "option"})
"""Fields of an answer that hold words of ours and of the settings."""


@dataclass(frozen=True, slots=True)
class VeiledJudge:
    """The judge of one row, whose questions a scorer makes of covered text."""

    judge: Judge
    veil: Veil

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask, with a way back for whoever asks nobody else; cover what the answer holds."""
        answer = await self.judge.ask(replace(question, lift=self.veil.lift))
        value = cast("A", _changed(answer.value, self.veil.cover_reply))
        return replace(answer, value=value)


@dataclass(frozen=True, slots=True)
class LiftingJudge:
    """A judge inside this process: it may see what the placeholders stand for."""

    judge: Judge

    @property
    def identity(self) -> JudgeIdentity:
        """The identity of the judge inside."""
        return self.judge.identity

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask about the raw text, where there is a veil at all."""
        if question.lift is None:
            return await self.judge.ask(question)
        raw = rewritten(question.about, question.lift)
        answer = await self.judge.ask(replace(question, about=raw))
        value = cast("A", _quoting(answer.value, question.about, question.lift))
        return replace(answer, value=value)


@dataclass(frozen=True, slots=True)
class VeiledAssistant:
    """The system under test: it is asked the very question that its user asked, in the clear."""

    assistant: Assistant
    veil: Veil

    async def ask(self, messages: Sequence[Turn], *, temperature: float) -> FreshAnswer:
        """Ask with the values put back; cover what is answered."""
        lift = self.veil.lift
        raw = [Turn(role=lift(turn.role), text=lift(turn.text)) for turn in messages]
        fresh = await self.assistant.ask(raw, temperature=temperature)
        return replace(fresh, text=self.veil.cover(fresh.text))


def through(veil: Veil, scorer: Scorer) -> Scorer:
    """Return the scorer as this row's: whom it asks besides its judge is asked through the veil."""
    if not isinstance(scorer, FactualConsistency):
        return scorer
    veiled = {name: VeiledAssistant(one, veil) for name, one in scorer.assistants.items()}
    return replace(scorer, assistants=veiled)


def _quoting(value: object, about: Subject, lift: Callable[[str], str]) -> object:
    """Return judgements with their quotes as the covered evidence has them, values whole."""
    if isinstance(value, tuple):
        return tuple(_quoting(one, about, lift) for one in value)
    if not isinstance(value, Judgement) or not isinstance(about, VerifyClaims | SupportSentence):
        return value
    texts = [one.text for one in about.evidence if one.key == value.evidence_key]
    if value.quote is None or not texts:
        return value
    return replace(value, quote=as_told(texts[0], value.quote, lift))


def _changed(value: object, change: Callable[[str], str]) -> object:
    """Return an answer with its texts changed, however deep they lie."""
    match value:
        case str():
            return change(value)
        case tuple():
            return tuple(_changed(one, change) for one in value)
        case Mapping():
            return value
    if not is_dataclass(value) or isinstance(value, type):
        return value
    texts = [one.name for one in fields(value) if one.name not in _OUR_WORDS]
    return replace(value, **{name: _changed(getattr(value, name), change) for name in texts})
