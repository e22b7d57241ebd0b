"""The way round with a real Collector: an application's spans in, our events and links out."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import (  # noqa: TID251 - an application
    OTLPSpanExporter,
)
from opentelemetry.sdk.resources import Resource  # noqa: TID251
from opentelemetry.sdk.trace import TracerProvider  # noqa: TID251
from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: TID251
from opentelemetry.trace import format_trace_id  # noqa: TID251

from schemas.trace import RagTrace
from streams.address import Topics
from tests.command import started
from tests.kafka.cluster_admin import make_all, make_topics, read_all
from tests.kafka.collecting.otelcol import listens, otelcol
from tests.kafka.command import settings
from tests.kafka.waiting import eventually
from tests.streams.telemetry.collector import collector
from tests.streams.telemetry.received import carriers_in, events_in, spans_in

TRACES = 6
PASSAGES = [{"id": "kb-1", "content": "The return window for unopened items is 30 days."}]
ANSWER = "You have 30 days to return an unopened item [kb-1]."


def message(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def answered(at: str) -> set[str]:
    """Answer as an instrumented application does, and return the ids of its traces."""
    provider = TracerProvider(resource=Resource({"service.name": "shop"}), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=f"{at}/v1/traces")))
    tracer, ids = provider.get_tracer("shop"), set()
    for _ in range(TRACES):
        asked = {"gen_ai.operation.name": "invoke_workflow"}
        with tracer.start_as_current_span("invoke_workflow shop", attributes=asked) as root:
            ids.add(format_trace_id(root.get_span_context().trace_id))
            found = {
                "gen_ai.operation.name": "retrieval",
                "gen_ai.retrieval.documents": json.dumps(PASSAGES),
            }
            with tracer.start_as_current_span("retrieval kb", attributes=found):
                pass
            said = {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "openai",
                "gen_ai.request.model": "gpt-x",
                "gen_ai.input.messages": message("user", "How long can I return an item?"),
                "gen_ai.output.messages": message("assistant", ANSWER),
            }
            with tracer.start_as_current_span("chat gpt-x", attributes=said):
                pass
    provider.shutdown()
    return ids


@contextmanager
def both_stages(
    folder: Path, kafka: str, topics: Topics, spans: str, address: str
) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Run `assemble` and `score`, which tells the Collector at that address."""
    more = (
        f"assemble: {{topic: {spans}, quiet_after_root: 1s, max_wait: 5s}}\n"
        f"telemetry: {{otlp: '{address}'}}\nserve: {{port: 0}}\n"
    )
    settings(kafka, folder, topics, more)
    with (
        started("assemble", cwd=folder, log="assemble.log") as assemble,
        started("score", cwd=folder, log="score.log") as score,
    ):
        yield [assemble, score]


@pytest.mark.service
async def test_spans_of_an_application_come_back_to_the_collector_as_events_and_links(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    spans = f"{topics.traces}.spans"
    await make_all(kafka, topics, partitions=2)
    await make_topics(kafka, [spans], partitions=2)
    async with collector() as (onward, taken):
        with (
            otelcol(tmp_path, kafka=kafka, topic=spans, onward=onward) as address,
            both_stages(tmp_path, kafka, topics, spans, address) as stages,
        ):
            await eventually(lambda: listens(address))
            ids = await asyncio.to_thread(answered, address)
            await eventually(lambda: len(carriers_in(taken)) == 2 * TRACES, within=60)
            await eventually(lambda: len(events_in(taken)) == 2 * TRACES)
            ours = {one.trace_id.hex() for one in carriers_in(taken)}
            await eventually(lambda: holds(kafka, spans, ours))
            for process in stages:
                process.send_signal(signal.SIGTERM)
            await eventually(lambda: all(one.poll() is not None for one in stages), within=60)

    answer = {one.span_id for one in spans_in(taken) if one.name == "chat gpt-x"}
    assert {one.links[0].trace_id.hex() for one in carriers_in(taken)} == ids
    assert {one.links[0].span_id for one in carriers_in(taken)} <= answer
    events = {(one.event_name, one.trace_id.hex()) for one in events_in(taken)}
    assert events == {("gen_ai.evaluation.result", one) for one in ids}
    records = await read_all(kafka, topics.traces)
    traces = [RagTrace.model_validate_json(record.value or b"") for record in records]
    assert sorted(trace.trace_id for trace in traces) == sorted(ids)  # none of ours, each once
    assert {trace.answer for trace in traces} == {ANSWER}


async def holds(kafka: str, topic: str, traces: set[str]) -> bool:
    """Say whether spans of our own traces are back on the topic that spans come in by."""
    return traces <= {(record.key or b"").decode() for record in await read_all(kafka, topic)}
