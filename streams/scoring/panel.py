"""The scorers as configured: who sits on the panel, with which judge, and under which identity."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import lru_cache

from schemas.identity import config_hash, event_id, series
from schemas.score import Failed, JudgeRef, Outcome, Scored, ScoringError, Usage
from schemas.trace import RagTrace
from scorers.contract import NO_COST, Judge, JudgeIdentity, JudgeUnavailableError, Scorer
from scorers.judges.metered import MeteredJudge, total
from scorers.judges.sent import cut_off, noted
from scorers.redaction.judges import VeiledJudge, through
from scorers.redaction.rows import Covering
from streams.scoring.reasons import Reasons


@dataclass(frozen=True, slots=True)
class Judged:
    """What a seat says of a trace: the outcome, what it cost, and the models that answered.

    `trace` is the row as it may be shown, `hidden` in how many places of it values were hidden, by
    kind (None: nothing was looked for).
    """

    seat: "Seat"
    outcome: Outcome
    usage: Usage
    resolved: tuple[str, ...]
    trace: RagTrace
    hidden: Mapping[str, int] | None = None

    @property
    def judge(self) -> JudgeRef:
        """Who judged, and the model that the last reply named."""
        identity = self.seat.identity
        resolved = self.resolved[-1] if self.resolved else None
        return _judge_ref(identity.name, identity.version, identity.model, resolved)

    @property
    def series(self) -> str:
        """What a pane may not mix this verdict with others of."""
        seat = self.seat
        return series(seat.config_hash, asked=seat.identity.model, resolved=self.resolved)


async def open_gate() -> None:
    """Let everyone through."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One scorer and the judge that it asks. `deadline` bounds all attempts of a row.

    `gate` returns once the judge may be asked at all; waiting there is no part of the deadline.
    `reasons` tells why an answer is bad; it enters neither the identity nor the series. With
    `covering` the scorer reads, and all but the local judges hear, placeholders for what it hides.
    """

    scorer: Scorer
    judge: Judge
    deadline: timedelta
    gate: Callable[[], Awaitable[None]] = open_gate
    reasons: Reasons | None = None
    covering: Covering | None = None
    identity: JudgeIdentity = field(init=False)
    config_hash: str = field(init=False)

    def __post_init__(self) -> None:
        judge = self.judge.identity
        object.__setattr__(self, "identity", judge)
        config = config_hash(
            scorer={
                **self.scorer.settings,
                "name": self.scorer.name,
                "version": self.scorer.version,
            },
            judge={
                **judge.settings,
                "name": judge.name,
                "version": judge.version,
                "model": judge.model,
                "redact": self.covering.redaction.settings if self.covering else None,
            },
        )
        object.__setattr__(self, "config_hash", config)

    def event_id(self, trace: RagTrace) -> str:
        """Return the id that this seat's verdict on the trace has, whoever judges it."""
        return event_id(
            trace_id=trace.trace_id,
            span_id=trace.span_id,
            content=trace.content_hash,
            scorer=self.scorer.name,
            config=self.config_hash,
        )

    async def judged(self, trace: RagTrace) -> Judged:
        """Score the trace. A judge that cannot be had makes an outcome, never an exception."""
        if self.covering is None:
            return await self._judged(trace, self.scorer, self.judge)
        row = await self.covering.row(trace)
        scorer, judge = through(row.veil, self.scorer), VeiledJudge(self.judge, row.veil)
        judged = await self._judged(row.trace, scorer, judge)
        return replace(judged, outcome=row.published(judged.outcome), hidden=row.hidden)

    async def _judged(self, trace: RagTrace, scorer: Scorer, asked: Judge) -> Judged:
        judge = MeteredJudge(asked, NO_COST)
        outcome: Outcome
        limit: asyncio.Timeout | None = None
        with noted() as sent:
            try:
                await self.gate()
                limit = asyncio.timeout(self.deadline.total_seconds())
                async with limit:
                    outcome = self._rated(await scorer.score(trace, judge))
            except JudgeUnavailableError as unavailable:
                outcome = Failed(error=unavailable.error)
            except TimeoutError:
                if limit is None or not limit.expired():
                    raise  # some other wait ran out: a bug, and no statement about the deadline
                outcome = Failed(error=ScoringError(kind="deadline"))
            usage = judge.usage
            if self.reasons and limit and isinstance(outcome, Scored) and outcome.bad:
                until = limit.when() or 0.0
                outcome, spent = await self.reasons.given(
                    outcome, trace, scorer=self.scorer.name, until=until
                )
                usage = total(usage, spent)
        return Judged(self, outcome, cut_off(usage, sent), tuple(judge.resolved), trace)

    def _rated(self, outcome: Outcome) -> Outcome:
        """Set `bad`: here alone, and from the verdict alone, so that it can be set anew."""
        if not isinstance(outcome, Scored) or outcome.bad == (bad := self.scorer.bad(outcome)):
            return outcome
        return outcome.model_copy(update={"bad": bad})


@lru_cache(maxsize=64)
def _judge_ref(name: str, version: str, model: str | None, resolved: str | None) -> JudgeRef:
    return JudgeRef(name=name, version=version, model=model, resolved=resolved)
