"""Scores in a histogram that point at the production traces they were given to."""

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (  # noqa: TID251
    ExportMetricsServiceRequest,
)

from streams.telemetry.capped import Capped
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.meters import meters
from streams.telemetry.metrics import Metric
from streams.telemetry.projecting import Manner
from tests.fakes import ListSink
from tests.streams.telemetry.collector import collector
from tests.streams.telemetry.told import SPAN_ID, TRACE_ID, an_event


async def test_a_score_has_the_trace_that_it_was_given_to_as_its_example() -> None:
    async with collector() as (url, taken):
        made = meters(version="1", instance="test", otlp=url, by_environment=False)
        sink = MeteredSink(ListSink(), made, Capped(9), example=Manner().target)
        await sink.publish([an_event()])
        await sink.publish([an_event(trace_id="order-123")])
        await made.close()

    request = ExportMetricsServiceRequest.FromString(taken[0][1])
    (scope,) = request.resource_metrics[0].scope_metrics
    (scores,) = [one for one in scope.metrics if one.name == Metric.SCORE.value.name]
    (point,) = scores.histogram.data_points
    (exemplar,) = point.exemplars
    assert (exemplar.trace_id.hex(), exemplar.span_id.hex()) == (TRACE_ID, SPAN_ID)
    assert exemplar.as_double == 0.5
    assert point.count == 2
