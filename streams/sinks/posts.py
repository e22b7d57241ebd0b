"""What other systems are sent of a score: Langfuse's scores, Phoenix's annotations. Pure.

Shapes: `POST /api/public/scores` of Langfuse, whose own `id` makes a second one replace the first;
`POST /v1/span_annotations` and `/v1/trace_annotations` of Phoenix, where name, target and
`identifier` do. Only a verdict has a value, so nothing else is sent. The value is the normalized
score. `attach_to` root is the trace itself in both.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from pydantic import JsonValue

from schemas.score import Scored, ScoreEvent
from streams.telemetry.evaluations import annotator
from streams.telemetry.targets import AttachTo, Target, target

_ENVIRONMENT = re.compile(r"(?!langfuse)[a-z0-9_-]{1,40}")
"""What Langfuse takes for one. It belongs to the trace anyway."""


class Post(NamedTuple):
    """Where below the sink's address, and what."""

    path: str
    body: JsonValue


Posts = Callable[[ScoreEvent], Post | None]
"""What a sink is sent of a score; None: nothing, for it could not take it."""


def langfuse(event: ScoreEvent, *, attach_to: AttachTo, judged_text: bool) -> Post | None:
    """Return Langfuse's score: of the span, or of the trace, whatever kind of id that has."""
    outcome, at = event.outcome, target(event, None, attach_to)
    if not isinstance(outcome, Scored):
        return None
    body: dict[str, JsonValue] = {
        "id": event.event_id,
        "traceId": event.trace.trace_id if at is None else f"{at.trace_id:032x}",
        "name": event.scorer.name,
        "value": outcome.normalized,
        "dataType": "NUMERIC",
        "metadata": _metadata(event, outcome),
    }
    if at is not None and attach_to == "answer":
        body["observationId"] = f"{at.span_id:016x}"
    if _ENVIRONMENT.fullmatch(event.trace.environment):
        body["environment"] = event.trace.environment
    if judged_text and outcome.reason:
        body["comment"] = outcome.reason
    return Post("/api/public/scores", body)


def phoenix(event: ScoreEvent, *, attach_to: AttachTo, judged_text: bool) -> Post | None:
    """Return Phoenix's annotation. A trace without one of OpenTelemetry's ids is not there."""
    outcome, at = event.outcome, target(event, None, attach_to)
    if not isinstance(outcome, Scored) or at is None:
        return None
    result: dict[str, JsonValue] = {"score": outcome.normalized, "label": outcome.label}
    if judged_text and outcome.reason:
        result["explanation"] = outcome.reason
    kind, where = _annotated(at, attach_to)
    annotation: JsonValue = {
        **where,
        "name": event.scorer.name,
        "annotator_kind": annotator(event),
        "result": result,
        "metadata": _metadata(event, outcome),
        "identifier": event.event_id,
    }
    # Asked to answer at once, it says whether the span is there.
    return Post(f"/v1/{kind}_annotations?sync=true", {"data": [annotation]})


def _annotated(at: Target, attach_to: AttachTo) -> tuple[str, dict[str, JsonValue]]:
    if attach_to == "root":
        return "trace", {"trace_id": f"{at.trace_id:032x}"}
    return "span", {"span_id": f"{at.span_id:016x}"}


def _metadata(event: ScoreEvent, outcome: Scored) -> dict[str, JsonValue]:
    return {
        "label": outcome.label,
        "bad": outcome.bad,
        "scorer_version": event.scorer.version,
        "judge": event.judge.name,
        "judge_model": event.judge.resolved or event.judge.model,
        "series": event.series,
        "sample_probability": event.sampling.probability,
    }
