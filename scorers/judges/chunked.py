"""A judge that reads in chunks what does not fit its window: nothing is cut off, nothing is 0.

A claim is asked of every chunk, and `dividing` says what the answers add up to. A chunk that fails
is an error of the question, unless the others support all of its claims. What cannot be divided,
a question or a claim that alone is over the window, is the error `too_long`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar, cast

from pydantic import JsonValue

from schemas.score import ScoringError, Usage
from scorers.asking.claims import extract
from scorers.asking.together import ask_all
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
from scorers.judges.chunks import NoRoomError, chunks
from scorers.judges.dividing import divisible, joined, overlapping, part
from scorers.judges.metered import total
from scorers.judges.windows import Reach, Window
from scorers.questions import Question, ScoreStatements, VerifyClaims

A = TypeVar("A")

TOO_LONG = frozenset({"too_long", "truncated"})
"""Causes of a final error that say: the other side could not read all of it."""

_CLAIMS = 8
"""Claims of one question, where the judge was to find them itself."""


@dataclass(frozen=True, slots=True)
class ChunkedJudge:
    """Put RetryingJudge inside it: every chunk is a question of its own, with its own attempts.

    `at_once` chunks of one question are asked at a time, and the parts of a chunk one after the
    other. Judges of one endpoint share its `reach`.
    """

    judge: Judge
    window: Window
    at_once: int = 4
    reach: Reach = field(default_factory=Reach)

    @property
    def identity(self) -> JudgeIdentity:
        """The judge inside, and where it is cut: other chunks may mean other verdicts."""
        inner = self.judge.identity
        cuts: dict[str, JsonValue] = {
            "context_tokens": self.window.tokens,
            "max_text": self.window.characters,
        }
        return replace(inner, settings={**cuts, **inner.settings})

    async def ask(self, question: Question[A]) -> Answer[A]:
        """Ask in one piece where that fits, else in parts."""
        about, window = question.about, self.reach.of(self.window)
        if not window.fits(about):
            return await replace(self, window=window)._divided(question)
        try:
            return await self.judge.ask(question)
        except JudgeUnavailableError as error:
            if not (error.final and error.error.cause in TOO_LONG):
                raise
            smaller = window.smaller(about)
            if smaller is None:
                raise
            meter = _Meter(error.usage)
            closer = replace(self, window=smaller, at_once=1)
            answer = await meter.ask(closer._divided, question)
            self.reach.window = self.reach.of(smaller)
            return replace(answer, usage=meter.usage)

    async def _divided(self, question: Question[A]) -> Answer[A]:
        about = question.about
        answer: Answer[object]
        if isinstance(about, ScoreStatements) and self.window.writes:
            answer = await self._stated(about, row=question.row)
        elif isinstance(about, VerifyClaims) and self._crowded(about):
            answer = await self._halved(about, row=question.row)
        else:
            answer = await self._in_chunks(cast("Question[object]", question))
        return cast("Answer[A]", answer)

    async def _in_chunks(self, question: Question[object]) -> Answer[object]:
        about, room = question.about, self.window.room(question.about)
        pieces = divisible(about)
        if not pieces or not room:
            raise too_long()
        weight, meter = self.window.weight(room), _Meter()
        # In a thread: finding the sentences of a million characters takes a second.
        try:
            cut = await asyncio.to_thread(chunks, pieces, room, weight, overlap=overlapping(about))
        except NoRoomError:
            raise too_long() from None
        parts = [part(question, chunk) for chunk in cut]
        if len(parts) == 1:
            raise too_long()
        found = await ask_all((self._heard(one, meter) for one in parts), at_once=self.at_once)
        values = [one.value for one in found if isinstance(one, Answer)]
        errors = [one for one in found if isinstance(one, JudgeUnavailableError)]
        value = joined(about, values, failed=bool(errors))
        if value is None:
            errors[0].usage = meter.usage
            raise errors[0]
        return meter.answer(value)

    async def _heard(
        self, question: Question[object], meter: "_Meter"
    ) -> Answer[object] | JudgeUnavailableError:
        try:
            return await meter.ask(replace(self, at_once=1).ask, question)
        except JudgeUnavailableError as error:
            return error

    def _crowded(self, about: VerifyClaims) -> bool:
        """Say whether several claims leave less than a third of the window to the evidence."""
        return len(about.claims) > 1 and self.window.room(about) < self.window.tokens // 3

    async def _halved(self, about: VerifyClaims, *, row: str) -> Answer[object]:
        """Ask about the first half of the claims, then about the others."""
        middle = len(about.claims) // 2
        return await self._verified(about, (slice(0, middle), slice(middle, None)), row, _Meter())

    async def _verified(
        self, about: VerifyClaims, some: Sequence[slice], row: str, meter: "_Meter"
    ) -> Answer[object]:
        """Ask about some of the claims at a time, under the numbers that they have."""
        found: list[Judgement] = []
        for these in some:
            numbers, claims = zip(*about.numbered[these], strict=True)
            asked = verify(replace(about, claims=claims, numbers=numbers), row=row)
            found += (await meter.ask(self.ask, asked)).value
        return meter.answer(tuple(found))

    async def _stated(self, about: ScoreStatements, *, row: str) -> Answer[object]:
        """Find the statements first, then check them: of each chunk it might find others."""
        meter = _Meter()
        texts = (await meter.ask(self.ask, extract(about.answer, row=row))).value
        claims = VerifyClaims(texts, about.evidence, about.question, turns=about.turns)
        groups = [slice(n, n + _CLAIMS) for n in range(0, len(texts), _CLAIMS)]
        judged = cast(
            "Sequence[Judgement]", (await self._verified(claims, groups, row, meter)).value
        )
        return meter.answer(
            tuple(
                Statement(text, one if one.verdict == "yes" else replace(one, verdict="unsure"))
                for text, one in zip(texts, judged, strict=True)
            )
        )


class _Ask(Protocol):
    async def __call__(self, question: Question[A], /) -> Answer[A]: ...


@dataclass(slots=True)
class _Meter:
    """What the parts of one question cost, which models answered them, and what was sent."""

    usage: Usage = NO_COST
    resolved: list[str] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    async def ask(self, judge: _Ask, question: Question[A]) -> Answer[A]:
        """Ask, and note it. An error carries what all parts so far have cost."""
        try:
            answer = await judge(question)
        except JudgeUnavailableError as error:
            error.usage = self.usage = total(self.usage, error.usage)
            raise
        self.usage = total(self.usage, answer.usage)
        for model in (answer.resolved or "").split("+"):
            if model and model not in self.resolved:
                self.resolved.append(model)
        self.prompts += [answer.prompt] if answer.prompt is not None else []
        return answer

    def answer(self, value: A) -> Answer[A]:
        """Return the answer to the whole question."""
        resolved = "+".join(self.resolved) or None
        return Answer(value, self.usage, resolved, "\n\n".join(self.prompts) or None)


def too_long() -> JudgeUnavailableError:
    """Return the error of a question that no judge of this window can read."""
    return JudgeUnavailableError(ScoringError(kind="judge_failed", cause="too_long"), final=True)
