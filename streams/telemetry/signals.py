"""Evaluations and work as OpenTelemetry's spans and log records, handed to OTLP's exporters.

Spans are made whole and not by a tracer: they are all to be recorded, whatever OTEL_TRACES_SAMPLER
and limits say of others, and their ids follow from what they tell, so that a repeat is known again.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanKind, Status, StatusCode

from streams.telemetry import conventions as names
from streams.telemetry.contexts import context_of, sampled
from streams.telemetry.evaluations import Evaluation
from streams.telemetry.exporting import ANSWER, endpoint
from streams.telemetry.targets import Target
from streams.telemetry.work import Work

Told = tuple[Evaluation, Work | None] | Work
"""What becomes a span: an evaluation within its work, or the work itself."""


@dataclass(frozen=True, slots=True)
class Making:
    """Makes signals of one process."""

    resource: Resource
    scope: InstrumentationScope

    def log(self, evaluation: Evaluation) -> ReadableLogRecord:
        """Return the log event of an evaluation, in the context of the span that was scored."""
        failed = evaluation.failed is not None
        record = LogRecord(
            timestamp=evaluation.ended,
            observed_timestamp=evaluation.ended,
            context=context_of(evaluation.target),
            severity_number=SeverityNumber.WARN if failed else SeverityNumber.INFO,
            attributes={**evaluation.result, **evaluation.ours},
            event_name=names.EVALUATION_RESULT,
        )
        return ReadableLogRecord(record, self.resource, self.scope)

    def span(self, told: Told) -> ReadableSpan:
        """Return the span of what is told."""
        return self._process(told) if isinstance(told, Work) else self._carrier(*told)

    def _carrier(self, evaluation: Evaluation, work: Work | None) -> ReadableSpan:
        """Return the carrier: its one link says what was scored, its parent only who did it."""
        target, failed = evaluation.target, evaluation.failed
        trace_id = work.trace_id if work else random.getrandbits(128)
        context = sampled(Target(trace_id, int(evaluation.score_id[:16], 16)))
        return ReadableSpan(
            names.CARRIER.format(scorer=evaluation.scorer),
            context,
            parent=sampled(Target(work.trace_id, work.span_id)) if work else None,
            resource=self.resource,
            attributes=evaluation.carried,
            events=[Event(names.EVALUATION_RESULT, evaluation.result, evaluation.ended)],
            links=[Link(sampled(target, remote=True))] if target else (),
            status=Status(StatusCode.ERROR, failed) if failed else Status(),
            # Calls that ran side by side add up to more time than there was.
            start_time=max(evaluation.began, work.began) if work else evaluation.began,
            end_time=evaluation.ended,
            instrumentation_scope=self.scope,
        )

    def _process(self, work: Work) -> ReadableSpan:
        return ReadableSpan(
            names.PROCESS.format(topic=work.topic),
            sampled(Target(work.trace_id, work.span_id)),
            resource=self.resource,
            attributes=work.attributes,
            links=[Link(sampled(one, remote=True)) for one in work.links],
            kind=SpanKind.CONSUMER,
            start_time=work.began,
            end_time=work.ended,
            instrumentation_scope=self.scope,
        )


@dataclass(frozen=True, slots=True)
class Spans:
    """Sends spans."""

    making: Making
    exporter: SpanExporter

    def __call__(self, told: Sequence[Told]) -> bool:
        """Send them, and say whether they were taken."""
        made = [self.making.span(one) for one in told]
        return self.exporter.export(made) is SpanExportResult.SUCCESS


@dataclass(frozen=True, slots=True)
class Logs:
    """Sends log events."""

    making: Making
    exporter: LogRecordExporter

    def __call__(self, told: Sequence[Evaluation]) -> bool:
        """Send them, and say whether they were taken."""
        made = [self.making.log(one) for one in told]
        return self.exporter.export(made) is LogRecordExportResult.SUCCESS


def making(resource: Resource, *, version: str) -> Making:
    """Return what makes the signals of this version, in the generation of names that it speaks."""
    return Making(resource, InstrumentationScope(names.SCOPE, version, names.SCHEMA_URL))


def span_exporter(otlp: str | None) -> SpanExporter:
    """Return what sends spans to a collector; without one, to that of the OTEL_ variables."""
    return OTLPSpanExporter(endpoint=endpoint(otlp, "traces"), timeout=ANSWER.total_seconds())


def log_exporter(otlp: str | None) -> LogRecordExporter:
    """Return what sends log events there."""
    return OTLPLogExporter(endpoint=endpoint(otlp, "logs"), timeout=ANSWER.total_seconds())
