"""Judges in a row, the cheapest first: each is asked only what the one before left undecided."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from pydantic import JsonValue

from schemas.score import ScoringError, Usage
from scorers.answers import Chosen, Comparison, Grade
from scorers.asking.verdicts import verify
from scorers.contract import (
    NO_COST,
    Answer,
    Judge,
    JudgeIdentity,
    Judgement,
    JudgeUnavailableError,
    Statement,
)
from scorers.judges.metered import total
from scorers.questions import Evidence, Question, ScoreStatements, Subject, VerifyClaims

A = TypeVar("A")
J = TypeVar("J", bound=Judgement | Chosen)

_PROBE = VerifyClaims(("The desk opens at nine.",), (Evidence("1", "The desk opens at nine."),))


def anything(about: Subject) -> bool:
    """Say of a stage that it may be asked whatever comes."""
    return True


@dataclass(slots=True)
class Stage:
    """A judge, what it can be asked, and the model it last spoke as ("": one without a name)."""

    judge: Judge
    answers: Callable[[Subject], bool] = anything
    seen: str | None = field(default=None, init=False)
    probing: asyncio.Lock = field(default_factory=asyncio.Lock, init=False, repr=False)

    @property
    def name(self) -> str:
        """What claims that it decided name it."""
        return self.judge.identity.name


class CascadeJudge:
    """A judge of its own. A stage that fails is the row's error, and never taken for undecided.

    The model that it names is that of all its stages, asked or not: rows that the first stage could
    decide belong to the same series as those that it could not.
    """

    def __init__(self, stages: Sequence[Stage]) -> None:
        self._stages = tuple(stages)

    @property
    def identity(self) -> JudgeIdentity:
        """The names of the stages, joined; everything about each is among the settings."""
        each = [stage.judge.identity for stage in self._stages]
        stages: list[JsonValue] = [
            {"name": one.name, "version": one.version, "model": one.model, **one.settings}
            for one in each
        ]
        return JudgeIdentity(
            name="+".join(one.name for one in each),
            version="1",
            model="+".join(one.model for one in each if one.model) or None,
            settings={"stages": stages},
        )

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask one stage after the other until all is decided."""
        able = [stage for stage in self._stages if stage.answers(question.about)]
        if not able:
            raise JudgeUnavailableError(
                ScoringError(kind="judge_failed", cause="unsupported_question")
            )
        usage, prompts = NO_COST, list[str]()
        value: object = None
        left: Question[object] | None = question
        for place, stage in enumerate(able):
            answer = await self._asked(stage, cast("Question[object]", left), usage)
            usage = total(usage, answer.usage)
            prompts += [answer.prompt] if answer.prompt is not None else []
            value = _joined(value, answer.value, stage.name, first=place == 0)
            left = _undecided(question, value)
            if left is None:
                break
        resolved, usage = await self._resolved(usage)
        return Answer(cast("A", value), usage, resolved, "\n\n".join(prompts) or None)

    async def _asked(
        self, stage: Stage, question: Question[object], spent: Usage
    ) -> Answer[object]:
        try:
            answer = await stage.judge.ask(question)
        except JudgeUnavailableError as error:
            error.usage = total(spent, error.usage)
            raise
        stage.seen = answer.resolved or stage.seen or ""
        return answer

    async def _resolved(self, spent: Usage) -> tuple[str | None, Usage]:
        """Return the models of all stages, and `spent` with what one row paid to ask for them."""
        remote = [stage for stage in self._stages if stage.judge.identity.model]
        for stage in remote:
            async with stage.probing:
                if stage.seen is None:
                    answer = await self._asked(stage, verify(_PROBE, row="which-model"), spent)
                    spent = total(spent, answer.usage)
        return "+".join(stage.seen or "" for stage in remote) or None, spent


def _joined(before: object, now: object, name: str, *, first: bool) -> object:
    """Return what is known after a stage: what it says stands where nothing was decided before."""
    match now:
        case Judgement() | Chosen():
            return _told(before, now, name, first=first)
        case (Judgement(), *_):
            judged = cast("Sequence[Judgement]", now)
            return _filled(cast("Sequence[Judgement] | None", before), judged, name, first=first)
        case (Statement(), *_):
            kept = cast("Sequence[Statement]", before or ())
            said = cast("Sequence[Statement]", now)
            return (
                *(one for one in kept if one.judgement.verdict != "undecided"),
                *(replace(s, judgement=_told(None, s.judgement, name, first=first)) for s in said),
            )
        case _:
            return now


def _told(before: object, now: J, name: str, *, first: bool) -> J:
    """Return what was decided with its judge; the flags of those before stay."""
    earlier = before if isinstance(before, Judgement | Chosen) else None
    return replace(
        now,
        decided_by="" if _open(now) else now.decided_by or name,
        flags=tuple(dict.fromkeys((*(earlier.flags if earlier else ()), *now.flags))),
        escalated=() if first else (*(earlier.escalated if earlier else ()), name),
    )


def _open(said: Judgement | Chosen) -> bool:
    return said.option is None if isinstance(said, Chosen) else said.verdict == "undecided"


def _filled(
    before: Sequence[Judgement] | None, now: Sequence[Judgement], name: str, *, first: bool
) -> tuple[Judgement, ...]:
    if before is None:
        return tuple(_told(None, one, name, first=first) for one in now)
    fresh = iter(now)
    return tuple(
        _told(old, next(fresh), name, first=first) if old.verdict == "undecided" else old
        for old in before
    )


def _undecided(question: Question[A], value: object) -> Question[object] | None:
    """Return what the next stage is to be asked; None where nothing is left."""
    about = question.about
    match value:
        case Judgement() | Chosen() if _open(value):
            return question
        case Comparison() if value.label is None or value.score is None:
            return question
        case Grade() if value.score is None or any(c.verdict is None for c in value.claims):
            return question
        case (Judgement(), *_) if isinstance(about, VerifyClaims):
            left = _claims_left(about, cast("Sequence[Judgement]", value), question.row)
            return left and replace(left, lift=question.lift)
        case (Statement(), *_) if isinstance(about, ScoreStatements):
            said = cast("Sequence[Statement]", value)
            texts = [one.text for one in said if one.judgement.verdict == "undecided"]
            rest = replace(about, answer=" ".join(texts))
            return replace(question, about=rest) if texts else None
        case _:
            return None


def _claims_left(
    about: VerifyClaims, judged: Sequence[Judgement], row: str
) -> Question[object] | None:
    left = [
        numbered
        for numbered, one in zip(about.numbered, judged, strict=True)
        if one.verdict == "undecided"
    ]
    if not left:
        return None
    numbers, claims = zip(*left, strict=True)
    return verify(replace(about, claims=claims, numbers=numbers), row=row)
