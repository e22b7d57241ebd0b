"""Runs scorer cases: the real scorers and the real chat judge, against a scripted endpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError
from tenacity.wait import wait_none

from schemas.score import Failed, InvalidInput, NotScorable, Outcome, Scored
from schemas.trace import RagTrace
from scorers.assistant import Address, HttpAssistant
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Judge, JudgeUnavailableError, Scorer
from scorers.factual_accuracy import FactualAccuracy
from scorers.factual_consistency import FactualConsistency
from scorers.faithfulness import Faithfulness
from scorers.faithfulness_binary import FaithfulnessBinary
from scorers.judges.chat import ChatJudge, ChatModel
from scorers.judges.http import HttpClient
from scorers.judges.limited import LimitedJudge, slots
from scorers.judges.retrying import RetryingJudge
from scorers.parameters import ParameterError
from tests.conformance.endpoint import ASSISTANT, JUDGE, ScriptedEndpoint
from tests.conformance.summary import summarise

Json = Mapping[str, Any]

CONFIGURATION = ("criteria", "focus", "tolerance_policy", "examples")
"""Parameters that case files carry in `input`."""

OPERATIONAL = (
    "n_judge_retries",
    "n_sut_retries",
    "concurrency_limit",
    "timeout_seconds",
    "timeout",
)
"""Parameters of the parts around a scorer."""

SCORERS: Mapping[str, Callable[..., Scorer]] = {
    "citation_accuracy": CitationAccuracy,
    "faithfulness_binary": FaithfulnessBinary,
    "faithfulness_verdicts": Faithfulness,
    "factual_consistency": FactualConsistency,
    "factual_accuracy": FactualAccuracy,
}


@dataclass(frozen=True)
class Bench:
    """A scorer and the judge it asks, both talking to the scripted endpoint."""

    scorer: Scorer
    judge: Judge


async def run_scorer(kind: str, case: Json) -> tuple[Json, list[str]]:
    """Return the flat view of the outcome, and what went wrong around it."""
    endpoint = ScriptedEndpoint(case["judge_script"])
    view: dict[str, Any]
    try:
        bench = build(kind, case, endpoint)
    except ParameterError as refused:
        view = {"status": "config_error", "error": {"kind": refused.name}, "breakdown": {}}
    else:
        view = flat(await outcome(bench, case["input"]))
    view |= {"judge_calls": endpoint.judge_calls, "sut_calls": endpoint.sut_calls}
    trouble = [f"unexpected call: {step}" for step in endpoint.unexpected]
    trouble += [f"script entry left over: {step}" for step in endpoint.left_over]
    return view, trouble


async def run_aggregate(case: Json) -> tuple[Json, list[str]]:
    """Run every row with the case's configuration, and return what they add up to."""
    outcomes, trouble = [], []
    for row in case["rows"]:
        endpoint = ScriptedEndpoint(row["judge_script"])
        bench = build("faithfulness_binary", {**row, "config": case.get("config", {})}, endpoint)
        outcomes.append(await outcome(bench, row["input"]))
        trouble += [f"unexpected call: {step}" for step in endpoint.unexpected]
        trouble += [f"script entry left over: {step}" for step in endpoint.left_over]
    summary = summarise(outcomes)
    breakdown = {
        "individual_scores": list(summary.scores),
        "scored": summary.scored,
        "failed": summary.failed,
        "not_scorable": summary.not_scorable,
        "invalid": summary.invalid,
        "no_claims": summary.no_claims,
        "coverage": summary.coverage,
    }
    status = "no_value" if summary.mean is None else "scored"
    return {"status": status, "score": summary.mean, "breakdown": breakdown}, trouble


def build(kind: str, case: Json, endpoint: ScriptedEndpoint) -> Bench:
    """Construct scorer, judge and assistant afresh. Raises ParameterError."""
    config = dict(case.get("config") or {})
    config |= {name: case["input"][name] for name in CONFIGURATION if name in case["input"]}
    around = {name: config.pop(name) for name in OPERATIONAL if name in config}
    timeout_seconds = around.get("timeout_seconds", around.get("timeout", 60))
    client = HttpClient(timeout_seconds=timeout_seconds, transport=endpoint.transport())
    limit = slots(around.get("concurrency_limit", 5))
    judge = RetryingJudge(
        LimitedJudge(ChatJudge(ChatModel(JUDGE, "scripted"), client), limit),
        retries=around.get("n_judge_retries", 1 if kind == "factual_accuracy" else 2),
        back_off=wait_none(),
    )
    parameters = {name: _frozen(value) for name, value in config.items()}
    if kind == "faithfulness_verdicts":
        parameters.setdefault("claims", "judge")
    if kind == "factual_consistency":
        assistant = HttpAssistant(
            Address(ASSISTANT),
            client,
            limit,
            retries=around.get("n_sut_retries", 2),
            back_off=wait_none(),
        )
        parameters["assistants"] = {"case/production": assistant}
    return Bench(SCORERS[kind](**parameters), judge)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


async def outcome(bench: Bench, given: Json) -> Outcome:
    """Score as the pipeline does: a judge that cannot be had makes an outcome."""
    try:
        return await bench.scorer.score(a_row(given), bench.judge)
    except JudgeUnavailableError as error:
        return Failed(error=error.error)


def a_row(given: Json) -> RagTrace:
    """Return the trace of a case. What is there and cannot be read is `unusable`, as at intake."""
    contexts = given.get("contexts")
    if isinstance(contexts, list):
        contexts = [{"key": str(n), "text": text} for n, text in enumerate(contexts, 1)]
    row = {
        # A row without an id gets one at intake, so that a missing one can only be blank here.
        "trace_id": given.get("input_id", "a-row") or " ",
        "service": "case",
        "answered_at": datetime(2026, 1, 1, tzinfo=UTC),
        "contexts": contexts,
        **{
            name: given.get(name)
            for name in ("question", "answer", "citations", "tool_results", "reference")
        },
    }
    try:
        return RagTrace.model_validate(row)
    except ValidationError as error:
        unusable = tuple({str(fault["loc"][0]) for fault in error.errors()})
        return RagTrace.model_validate({**row, **dict.fromkeys(unusable), "unusable": unusable})


def flat(result: Outcome) -> dict[str, Any]:
    """Return the outcome as the case files look at it."""
    view: dict[str, Any] = {"status": result.status, "score": None, "breakdown": {}}
    if isinstance(result, Failed):
        view["error"] = result.error.model_dump(mode="json")
    elif isinstance(result, NotScorable | InvalidInput):
        view["error"] = {"kind": result.reason}
    if isinstance(result, Scored | NotScorable):
        view["breakdown"] = _named_alike(dict(result.breakdown or {}))
    if isinstance(result, Scored):
        view["score"] = result.score
        apart = {flag: flag in result.flags for flag in ("no_claims", "no_context", "abstained")}
        view["breakdown"] = {
            **apart,
            "reason_error": None,
            **result.counts,
            **view["breakdown"],
            "normalized": result.normalized,
            "reason": result.reason,
            "flags": list(result.flags),
        }
    return view


def _named_alike(breakdown: dict[str, Any]) -> dict[str, Any]:
    """Return the breakdown with each claim's text under `claim` too, as the cases name it."""
    claims = breakdown.get("claims")
    if isinstance(claims, list):
        breakdown["claims"] = [{"claim": row.get("text"), **row} for row in claims]
    return breakdown
