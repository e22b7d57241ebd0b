"""What the stage that makes rows of spans says of itself, and when it is of no more use."""

from collections import Counter

from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from streams.vitals.assembling import AssembleVitals
from tests.fakes import no_beats
from tests.streams.assemble.spans import a_span
from tests.streams.assemble.staging import ListPost, Spans, a_stage, at
from tests.streams.telemetry.exposed import labels, some_meters, values


class Far(Spans):
    """A source over a network, in a group."""

    trouble: str | None = None
    away: bool = False
    lost: str | None = None


async def test_spans_traces_and_rows_are_counted_once_however_often_they_are_looked_at() -> None:
    stage = a_stage(
        Spans([[at(0, a_span(0, root=True), a_span(9), a_span(0, root=True))]]), ListPost()
    )
    vitals = AssembleVitals(stage, some_meters())
    await stage.run(no_beats())

    for _ in range(2):
        list(vitals.samples())

    meters = vitals.meters
    assert await values(meters, Metric.SPANS) == {
        labels(outcome="taken"): 2,
        labels(outcome="duplicate"): 1,
    }
    assert await values(meters, Metric.TRACES) == {labels(why="ended"): 2}
    assert await values(meters, Metric.ROWS) == {labels(dialect="invented"): 1}
    assert await values(meters, Metric.UNWRITTEN) == {labels(why="says_too_little"): 1}


async def test_what_rows_lack_is_counted_by_dialect() -> None:
    stage = a_stage(Spans([]), ListPost())
    stage.letters.missing = Counter({("genai", "contexts"): 3})
    vitals = AssembleVitals(stage, some_meters())

    list(vitals.samples())

    lacks = await values(vitals.meters, Metric.MISSING)
    assert lacks == {labels(dialect="genai", field="contexts"): 3}


async def test_what_waits_is_shown() -> None:
    stage = a_stage(Spans([[at(0, a_span(0))]]), ListPost(), ends=False)
    await stage.run(no_beats())

    shown = {one.metric: one for one in AssembleVitals(stage, some_meters()).samples()}

    assert shown[Metric.OPEN] == Sample(Metric.OPEN, 1)
    assert shown[Metric.BUFFER].value > 0
    assert shown[Metric.LAG] == Sample(Metric.LAG, 1, {"partition": "0"})


def test_it_is_dead_when_its_group_is_lost_and_unready_while_no_broker_answers() -> None:
    source, before = Far([]), Far([])
    vitals = AssembleVitals(a_stage(source, ListPost()), some_meters(), before)
    assert [*vitals.dead(), *vitals.unready()] == []

    before.lost, source.trouble = "out of the group", "no Kafka answers"

    assert list(vitals.dead()) == ["out of the group"]
    assert list(vitals.unready()) == ["no Kafka answers"]
