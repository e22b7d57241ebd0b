"""A score as the attributes of its signals, and nothing that was judged unless asked. Pure.

The value is the normalized score, 1 the best, whatever a scorer's own scale is. Where there is no
verdict there is no value: an error says of which type, the rest why there was nothing to judge.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from schemas.score import Failed, InvalidInput, Scored, ScoreEvent
from streams.telemetry import conventions as names
from streams.telemetry.targets import Target

Attributes = Mapping[str, str | bool | int | float]

_UNSUPPORTED = ("contradicted", "unsure", "unsupported")
"""The counts of claims that a scorer found no support for, by the names that scorers have."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One outcome: what its signals say. Times in nanoseconds since 1970.

    `result` are the attributes that the conventions know, `ours` those that only we have.
    """

    scorer: str
    score_id: str
    target: Target | None
    result: Attributes
    ours: Attributes
    carried: Attributes
    began: int
    ended: int
    failed: str | None


def evaluation(
    event: ScoreEvent, target: Target | None, *, response_id: str | None, judged_text: bool
) -> Evaluation:
    """Return what is told of a score; `judged_text` lets the judge's reason out, too."""
    outcome = event.outcome
    why = outcome.reason if judged_text and isinstance(outcome, Scored) else None
    ended = int(event.scored_at.timestamp() * 1000) * 1_000_000
    return Evaluation(
        scorer=event.scorer.name,
        score_id=event.event_id,
        target=target,
        result=_result(event, response_id, why),
        ours=_ours(event, target),
        carried=_carried(event, why),
        began=ended - int(event.usage.seconds * 1e9),
        ended=ended,
        failed=error_type(event),
    )


def error_type(event: ScoreEvent) -> str | None:
    """Return what kept an evaluation from being made, in a word; None where nothing did."""
    match event.outcome:
        case Failed(error=error):
            return error.cause or error.kind
        case InvalidInput():
            return event.outcome.status
        case _:
            return None


def _result(event: ScoreEvent, response_id: str | None, why: str | None) -> Attributes:
    outcome = event.outcome
    return _present(
        {
            names.EVALUATION_NAME: event.scorer.name,
            names.SCORE_VALUE: outcome.normalized if isinstance(outcome, Scored) else None,
            names.SCORE_LABEL: outcome.label if isinstance(outcome, Scored) else None,
            names.EXPLANATION: why,
            names.RESPONSE_ID: response_id,
            names.ERROR_TYPE: error_type(event),
        }
    )


def _ours(event: ScoreEvent, target: Target | None) -> Attributes:
    outcome, trace, judge = event.outcome, event.trace, event.judge
    said: dict[str, str | bool | int | float | None] = {
        names.SCORE_ID: event.event_id,
        names.OUTCOME: outcome.status,
        names.SCORER_VERSION: event.scorer.version,
        names.JUDGE: judge.name,
        names.JUDGE_MODEL: judge.resolved or judge.model,
        names.SERIES: event.series,
        names.PROBABILITY: event.sampling.probability,
        names.RUN: event.run,
        names.TARGET_SERVICE: trace.service,
        names.TARGET_ENVIRONMENT: trace.environment,
        names.TARGET_TRACE: trace.trace_id if target is None else None,
        names.TARGET_SPAN: trace.span_id if target is None else None,
    }
    match outcome:
        case Scored(counts=counts):
            said[names.BAD] = outcome.bad
            if "claims" in counts:
                said[names.CLAIMS] = counts["claims"]
                said[names.UNSUPPORTED] = sum(counts.get(name, 0) for name in _UNSUPPORTED)
        case Failed(error=error):
            said[names.ERROR_KIND] = error.kind
        case _:
            said[names.REASON] = outcome.reason
    return _present(said)


def _present(said: Mapping[str, str | bool | int | float | None]) -> Attributes:
    return {name: value for name, value in said.items() if value is not None}


def _carried(event: ScoreEvent, why: str | None) -> Attributes:
    outcome, scorer = event.outcome, event.scorer
    fields: dict[str, str | float | None] = {
        "name": scorer.name,
        "score": outcome.normalized if isinstance(outcome, Scored) else None,
        "label": outcome.label if isinstance(outcome, Scored) else None,
        "explanation": why,
        "annotator_kind": annotator(event),
        "identifier": f"{names.SCOPE}/{scorer.name}@{scorer.version}",
        "metadata": json.dumps(
            {"score_id": event.event_id, "series": event.series, "outcome": outcome.status}
        ),
    }
    return {
        names.SPAN_KIND: names.EVALUATOR,
        names.SCORE_ID: event.event_id,
        **_present({names.ERROR_TYPE: error_type(event)}),
        **_present({names.ANNOTATION + name: value for name, value in fields.items()}),
    }


def annotator(event: ScoreEvent) -> str:
    """Return who judged, as OpenInference sorts them: the rules judge asks no model."""
    return "CODE" if event.judge.name == "rules" else "LLM"
