"""Why a bad answer is bad: a chat model is asked once the verdict stands, and cannot change it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.score import Scored, Usage
from schemas.trace import RagTrace
from scorers.answers import Explanation
from scorers.asking.whole_answers import why
from scorers.contract import Judge, JudgeUnavailableError
from scorers.evidence.recorded import recorded
from scorers.judges.metered import MeteredJudge
from scorers.questions import Evidence, ExplainBad

DISAGREES, FAILED = "reason_disagrees", "reason_error"
"""Flags: the model finds the answer not bad, or gave no reason (the breakdown says why)."""

_OF_OTHERS = frozenset({"prompts"})
"""Parts of a breakdown that are no findings."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """Adds the reason to outcomes that came out bad. It is no part of who judged.

    `gate` raises JudgeUnavailableError while asking is of no use: no verdict waits for its reason.
    """

    judge: Judge
    gate: Callable[[], Awaitable[None]]

    async def given(
        self, outcome: Scored, trace: RagTrace, *, scorer: str, until: float
    ) -> tuple[Scored, Usage]:
        """Return the outcome with its reason, and what that cost. `until` is a time of the loop.

        A reason that does not come leaves the verdict as it was.
        """
        judge = MeteredJudge(self.judge)
        about = _about(outcome, trace, scorer)
        limit = asyncio.timeout_at(until)
        try:
            async with limit:
                await self.gate()
                said = (await judge.ask(why(about, row=trace.trace_id))).value
        except JudgeUnavailableError as error:
            return _without(outcome, error.error.cause or error.error.kind), judge.usage
        except TimeoutError:
            if not limit.expired():
                raise  # some other wait ran out: a bug, and no statement about the deadline
            return _without(outcome, "deadline"), judge.usage
        return _with(outcome, said), judge.usage


def _about(outcome: Scored, trace: RagTrace, scorer: str) -> ExplainBad:
    findings: dict[str, JsonValue] = {
        key: value for key, value in outcome.breakdown.items() if key not in _OF_OTHERS
    }
    return ExplainBad(
        scorer=scorer,
        label=outcome.label,
        findings=findings,
        answer=trace.answer or "",
        question=trace.question,
        evidence=_evidence(trace),
    )


def _evidence(trace: RagTrace) -> tuple[Evidence, ...] | None:
    """Return all that an answer may have been judged by; None where nothing was recorded."""
    found = recorded(trace, ("contexts", "tool_results"), everything=True)
    cited = [
        Evidence(key, text, "citations") for key, text in (trace.citations or {}).items() if text
    ]
    reference = [Evidence("reference", trace.reference, "reference")] if trace.reference else []
    if found is None and not cited and not reference:
        return None
    return (*(found or ()), *cited, *reference)


def _with(outcome: Scored, said: Explanation) -> Scored:
    flags = outcome.flags if said.agrees else (*outcome.flags, DISAGREES)
    return outcome.model_copy(update={"reason": said.reason, "flags": flags})


def _without(outcome: Scored, cause: str) -> Scored:
    breakdown = {**outcome.breakdown, FAILED: cause}
    return outcome.model_copy(update={"breakdown": breakdown, "flags": (*outcome.flags, FAILED)})
