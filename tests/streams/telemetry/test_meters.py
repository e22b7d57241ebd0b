"""The ways out: sent to a collector, and never waited for."""

import asyncio
from datetime import timedelta

from streams.telemetry.meters import Meters, meters
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from tests.streams.telemetry.collector import collector
from tests.streams.telemetry.exposed import labels, some_meters, values


def sent_to(url: str) -> Meters:
    return meters(version="1", instance="test", otlp=url, by_environment=False)


async def test_what_was_counted_is_sent_at_the_latest_at_the_end() -> None:
    async with collector() as (url, taken):
        made = sent_to(url)
        made.add(Metric.DEAD, 1, {"reason": "not_json"})
        made.show([Sample(Metric.PARTITIONS, 3)])

        await made.close()

    assert [path for path, _ in taken] == ["/v1/metrics"]
    assert b"streamgauge.rows.dead" in taken[0][1]
    assert b"streamgauge.partitions" in taken[0][1]


async def test_a_collector_that_never_answers_holds_nobody_up() -> None:
    async with collector(answers=False) as (url, taken):
        made = sent_to(url)
        made.answer = timedelta(seconds=0.2)
        made.add(Metric.DEAD, 1)
        loop = asyncio.get_running_loop()
        began = loop.time()

        await made.close()

        assert loop.time() - began < 2
        assert len(taken) == 1


async def test_a_gauge_shows_the_last_samples_and_forgets_what_is_gone() -> None:
    made = some_meters()

    made.show(
        [Sample(Metric.LAG, 5, {"partition": "0"}), Sample(Metric.LAG, 6, {"partition": "1"})]
    )
    before = await values(made, Metric.LAG)
    made.show([Sample(Metric.LAG, 4, {"partition": "0"})])

    assert before == {labels(partition="0"): 5, labels(partition="1"): 6}
    assert await values(made, Metric.LAG) == {labels(partition="0"): 4}


async def test_more_series_than_the_sdk_takes_by_itself_keep_their_names() -> None:
    made = some_meters()

    made.show(Sample(Metric.LAG, n, {"partition": str(n)}) for n in range(3000))

    assert len(await values(made, Metric.LAG)) == 3000
