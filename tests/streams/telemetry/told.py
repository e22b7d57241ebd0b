"""Scores as our signals tell of them, and what a collector would get."""

import json
from pathlib import Path
from typing import Any

from opentelemetry.exporter.otlp.proto.common._log_encoder import (  # noqa: TID251 - reads it back
    encode_logs,
)
from opentelemetry.exporter.otlp.proto.common.trace_encoder import (  # noqa: TID251
    encode_spans,
)

from schemas.score import Outcome, Scored, ScoreEvent
from streams.telemetry.evaluations import Evaluation, evaluation
from streams.telemetry.exporting import resource
from streams.telemetry.signals import Making, Told, making
from streams.telemetry.targets import Target
from tests.streams.watch.records import a_score

EXPECTED = Path(__file__).parent / "expected"
TRACE_ID, SPAN_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TARGET = Target(int(TRACE_ID, 16), int(SPAN_ID, 16))
EVENT_ID = "424e0b126fd0bc1babb012ecfdae7a18"


def scored(**changes: Any) -> Scored:
    """Return a verdict that one of two claims fails."""
    made = Scored(
        score=0.5,
        normalized=0.5,
        bad=True,
        label="partially_supported",
        counts={"claims": 2, "supported": 1, "contradicted": 0, "unsure": 1, "undecided": 0},
        reason="1 of 2 claims unsupported",
    )
    return made.model_copy(update=changes)


def an_event(
    outcome: Outcome | None = None,
    *,
    trace_id: str = TRACE_ID,
    span_id: str | None = SPAN_ID,
    traceparent: str | None = None,
    judge: str = "chat",
) -> ScoreEvent:
    """Return the event of an outcome for a span."""
    event = a_score(3, 60, outcome or scored(), event_id=EVENT_ID)
    where = event.trace.model_copy(update={"trace_id": trace_id, "span_id": span_id})
    who = event.judge.model_copy(update={"name": judge})
    changes = {"trace": where, "judge": who, "traceparent": traceparent}
    return event.model_copy(update=changes)


def an_evaluation(
    outcome: Outcome | None = None,
    *,
    target: Target | None = TARGET,
    judged_text: bool = False,
    judge: str = "chat",
) -> Evaluation:
    """Return what is told of an outcome."""
    event = an_event(outcome, judge=judge)
    return evaluation(event, target, response_id="chatcmpl-abc", judged_text=judged_text)


def a_making() -> Making:
    """Return what makes signals."""
    return making(resource(version="1", instance="test"), version="1")


def as_span(told: Told) -> dict[str, Any]:
    """Return a span as it goes to a collector."""
    request = encode_spans([a_making().span(told)])
    (one,) = request.resource_spans[0].scope_spans[0].spans
    return {
        "traceId": one.trace_id.hex(),
        "spanId": one.span_id.hex(),
        "parentSpanId": one.parent_span_id.hex(),
        "name": one.name,
        "kind": one.kind,
        "start": one.start_time_unix_nano,
        "end": one.end_time_unix_nano,
        "attributes": _plain(one.attributes),
        "events": [(event.name, _plain(event.attributes)) for event in one.events],
        "links": [(link.trace_id.hex(), link.span_id.hex()) for link in one.links],
        "status": one.status.code,
        "schema": request.resource_spans[0].scope_spans[0].schema_url,
    }


def as_log(told: Evaluation) -> dict[str, Any]:
    """Return a log record as it goes to a collector."""
    request = encode_logs([a_making().log(told)])
    (one,) = request.resource_logs[0].scope_logs[0].log_records
    return {
        "traceId": one.trace_id.hex(),
        "spanId": one.span_id.hex(),
        "flags": one.flags,
        "eventName": one.event_name,
        "severityNumber": one.severity_number,
        "time": one.time_unix_nano,
        "observed": one.observed_time_unix_nano,
        "attributes": _plain(one.attributes),
        "schema": request.resource_logs[0].scope_logs[0].schema_url,
    }


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


def expected(file: str, kind: str) -> list[dict[str, Any]]:
    """Return the records of a file in OTLP's JSON; `kind` is `Spans` or `Logs`."""
    request = json.loads((EXPECTED / file).read_text(encoding="utf-8"))
    scope = request[f"resource{kind}"][0][f"scope{kind}"][0]
    found: list[dict[str, Any]] = scope["spans" if kind == "Spans" else "logRecords"]
    return found


def plain(attributes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return attributes of OTLP's JSON as plain values."""
    return {
        one["key"]: int(value) if kind == "intValue" else value
        for one in attributes
        for kind, value in one["value"].items()
    }
