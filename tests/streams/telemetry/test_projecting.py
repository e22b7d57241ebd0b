"""The score half with its signals: what is told of rows that really went through it."""

from collections.abc import Sequence
from datetime import timedelta

from opentelemetry.sdk._logs.export import (  # noqa: TID251 - keeps what it is sent
    InMemoryLogRecordExporter,
)
from opentelemetry.sdk.trace import ReadableSpan  # noqa: TID251
from opentelemetry.sdk.trace.export.in_memory_span_exporter import (  # noqa: TID251
    InMemorySpanExporter,
)

from schemas.mark import Mark
from streams.pipeline import Scoring, run
from streams.ports import Message, Record
from streams.scoring.panel import Seat
from streams.telemetry.opening import open_outlets
from streams.telemetry.outlet import Outlet
from streams.telemetry.projecting import (
    PATIENCE,
    Manner,
    Outlets,
    ProjectingHalf,
    ProjectingSink,
)
from streams.telemetry.signals import Told
from streams.telemetry.work import Work
from tests.fakes import (
    NOON,
    CountingJudge,
    ListSink,
    ListSource,
    PlainScorer,
    a_record,
    a_trace,
    no_beats,
)
from tests.streams.scoring.half import a_scoring
from tests.streams.telemetry.exposed import some_meters
from tests.streams.telemetry.told import SPAN_ID, a_making

ROOT = "00f067aa0ba902b7"


def a_row(number: int = 0, **changes: object) -> Record:
    trace = a_trace(id=f"{number + 1:032x}").model_copy(
        update={"span_id": SPAN_ID, "root_span_id": ROOT, "response_id": f"r-{number}", **changes}
    )
    header = ("traceparent", f"00-{trace.trace_id}-{SPAN_ID}-01".encode())
    return a_record(trace, number)._replace(headers=(header,))


def a_half(source: ListSource, sink: ProjectingSink | ListSink, names: Sequence[str]) -> Scoring:
    panel = {
        name: Seat(PlainScorer(name=name), CountingJudge(), timedelta(seconds=60)) for name in names
    }
    return a_scoring(source, sink, panel)


async def told_of(
    *records: Record, manner: Manner | None = None, names: Sequence[str] = ("plain",)
) -> tuple[list[ReadableSpan], InMemoryLogRecordExporter]:
    """Score the records, and return what was told: spans and log events."""
    spans = InMemorySpanExporter()
    logs = InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    source = ListSource(records)
    async with open_outlets(a_making(), some_meters(), spans=spans, logs=logs) as opened:
        sink = ProjectingSink(ListSink(), opened, manner or Manner())
        half = ProjectingHalf(a_half(source, sink, names), opened, "kafka", "streamgauge")
        await run(source, half, beats=no_beats(), clock=lambda: NOON, in_flight=4)
    return list(spans.get_finished_spans()), logs


def named(spans: Sequence[ReadableSpan], begins: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name.startswith(begins)]


async def test_each_outcome_is_an_event_and_a_carrier_within_the_work_on_its_batch() -> None:
    spans, logs = await told_of(a_row(0), a_row(1), names=("plain", "other"))

    (process,) = named(spans, "process rag.traces")
    carriers = named(spans, "evaluate ")
    assert len(carriers) == len(logs.get_finished_logs()) == 4
    for carrier in carriers:
        assert carrier.parent is not None
        assert process.context is not None
        assert carrier.parent.span_id == process.context.span_id
        assert len(carrier.links) == 1
    assert {link.context.trace_id for link in process.links} == {1, 2}
    assert process.end_time is not None
    assert process.start_time is not None
    assert process.end_time >= process.start_time


async def test_the_response_that_the_row_names_goes_along() -> None:
    _, logs = await told_of(a_row())

    (one,) = logs.get_finished_logs()
    assert one.log_record.attributes is not None
    assert one.log_record.attributes["gen_ai.response.id"] == "r-0"


async def test_the_root_that_only_the_row_knows_is_linked_to_where_that_is_set() -> None:
    spans, logs = await told_of(a_row(), manner=Manner("root"))

    (carrier,), (log,) = named(spans, "evaluate"), logs.get_finished_logs()
    assert [link.context.span_id for link in carrier.links] == [int(ROOT, 16)]
    assert log.log_record.span_id == int(ROOT, 16)


async def test_a_row_that_cannot_be_read_belongs_to_the_work_and_is_no_outcome() -> None:
    spans, logs = await told_of(a_record(b"not JSON"), a_row(1))

    (process,) = named(spans, "process")
    assert process.attributes is not None
    assert process.attributes["messaging.batch.message_count"] == 2
    assert len(logs.get_finished_logs()) == len(named(spans, "evaluate")) == 1


async def test_a_verdict_that_is_only_written_again_was_told_of_before() -> None:
    spans = InMemorySpanExporter()
    async with open_outlets(a_making(), some_meters(), spans=spans, logs=None) as opened:
        inner, source = ListSink(), ListSource([a_row()])
        await run(
            source, a_half(source, inner, ["plain"]), beats=no_beats(), clock=lambda: NOON,
            in_flight=1,
        )  # fmt: skip
        again = [event.model_copy(update={"reused": True}) for event in inner.scores]
        await ProjectingSink(inner, opened, Manner()).publish(again)

    assert len(inner.scores) == 2
    assert spans.get_finished_spans() == ()


async def test_what_could_not_be_written_is_not_told_of() -> None:
    class Full(ListSink):
        async def publish(self, messages: Sequence[Message]) -> None:
            raise OSError("full")

        async def mark(self, mark: Mark) -> None:
            raise OSError("full")

    spans = InMemorySpanExporter()
    async with open_outlets(a_making(), some_meters(), spans=spans, logs=None) as opened:
        source = ListSource([a_row()])
        half = a_half(source, ProjectingSink(Full(), opened, Manner()), ["plain"])
        try:
            await run(source, half, beats=no_beats(), clock=lambda: NOON, in_flight=1)
        except* OSError:
            pass

    assert spans.get_finished_spans() == ()


async def test_a_batch_whose_rows_were_given_away_is_told_of_in_the_end() -> None:
    told: list[Told] = []

    def keep(some: Sequence[Told]) -> bool:
        told.extend(some)
        return True

    now, source = [0], ListSource([a_row(0), a_row(1)])
    outlet = Outlet("span", keep, lambda why, count: None)
    inner = a_half(source, ListSink(), ["plain"])
    half = ProjectingHalf(inner, Outlets(outlet, None), "kafka", "g", clock=lambda: now[0])
    (first, work), _ = half.admit(source.records)
    await half.finish(first, work)
    await half.beat(NOON)
    assert told == []

    now[0] = int(PATIENCE.total_seconds() * 1e9) + 1
    await half.beat(NOON)
    await half.beat(NOON)
    await outlet.close()

    (one,) = told
    assert isinstance(one, Work)
    assert one.left == 0
