"""A graded answer, and replies of a judge that grades it."""

from typing import Any

import pytest

from schemas.score import Outcome, Scored
from schemas.trace import RagTrace
from scorers.contract import InvalidReplyError
from scorers.factual_accuracy import FactualAccuracy
from tests.fakes import ScriptedJudge, a_trace

ANSWER = "The mill opened in 1874 and has 12 rooms."
REFERENCE = "The mill opened in 1874. It has 14 rooms and was built by Ada Brandt."


def a_claim(verdict: str = "fully_supported", **fields: object) -> dict[str, object]:
    supported = verdict in ("fully_supported", "partially_supported")
    return {
        "claim_text": "opened in 1874",
        "explanation": "The reference gives the same year.",
        "evidence": "opened in 1874" if supported else None,
        "verdict": verdict,
        **fields,
    }


def a_reply(*claims: dict[str, object], score: object = 5, **fields: object) -> dict[str, object]:
    return {
        "claim_verifications": list(claims) or [a_claim()],
        "verdict_summary": "One claim of one is fully supported.",
        "score_justification": "Claim 1 is right.",
        "factual_accuracy_score": score,
        **fields,
    }


def a_row(answer: str | None = ANSWER, reference: str | None = REFERENCE) -> RagTrace:
    return a_trace(answer).model_copy(update={"reference": reference})


async def outcome(*replies: object, trace: RagTrace | None = None, **parameters: Any) -> Outcome:
    judge = ScriptedJudge(list(replies))
    return await FactualAccuracy(**parameters).score(trace or a_row(), judge)


async def scored(*replies: object, **parameters: Any) -> Scored:
    result = await outcome(*replies, **parameters)
    assert isinstance(result, Scored)
    return result


async def broken(reply: dict[str, object]) -> tuple[str, ...]:
    with pytest.raises(InvalidReplyError) as refused:
        await outcome(reply)
    return refused.value.error.violations or ()
