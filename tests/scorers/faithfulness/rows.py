"""Rows, replies and outcomes of faithfulness."""

from typing import Any

from schemas.score import Scored
from schemas.trace import RagTrace
from scorers.faithfulness import Faithfulness
from scorers.questions import VerifyClaims
from tests.fakes import ScriptedJudge, a_trace

TWO = "The mill opens at ten.\nIt closes at six."


def verdicts(*words: str) -> dict[str, object]:
    return {"verdicts": [{"reason": "r", "verdict": word} for word in words]}


def many(claims: int) -> str:
    return "\n".join(f"Mill number {n} opens at ten." for n in range(claims))


def claims_of(judge: ScriptedJudge) -> list[tuple[str, ...]]:
    return [q.about.claims for q in judge.asked if isinstance(q.about, VerifyClaims)]


def rows_of(outcome: Scored) -> list[dict[str, Any]]:
    rows = outcome.breakdown["claims"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


async def scored(judge: ScriptedJudge, trace: RagTrace | None = None, **parameters: Any) -> Scored:
    outcome = await Faithfulness(**parameters).score(trace or a_trace(TWO), judge)
    assert isinstance(outcome, Scored)
    return outcome


def with_tools(contexts: list[str] | None) -> RagTrace:
    results = ({"state": "result", "result": {"opens": "ten"}},)
    return a_trace(TWO, contexts=contexts).model_copy(update={"tool_results": results})
