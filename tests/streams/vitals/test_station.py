"""Where a process can be asked: for all that the table names, and nothing else."""

import asyncio
import subprocess
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Never

import pytest
import structlog
from pydantic import SecretStr

from schemas.rejection import Rejection
from schemas.score import Failed, ScoringError, Usage
from scorers.judges.http import HttpClient
from scorers.judges.observed import Call
from streams.assemble.stage import Assembling
from streams.links import Links
from streams.notify.receivers import Receiver
from streams.ports import Progress
from streams.scoring.panel import Seat
from streams.telemetry.calls import CallMeter
from streams.telemetry.metered_sink import MeteredSink
from streams.telemetry.meters import meters
from streams.telemetry.metrics import Metric
from streams.telemetry.sample import Sample
from streams.vitals.assembling import AssembleVitals
from streams.vitals.flight import Flight
from streams.vitals.http import TakenError
from streams.vitals.memory import Memory
from streams.vitals.scoring import ScoreVitals
from streams.vitals.station import Station
from streams.vitals.watching import WatchVitals
from tests.fakes import NOON, CountingJudge, ListSink, ListSource, PlainScorer, a_record, no_beats
from tests.kafka.proxy import free_port
from tests.streams.assemble.spans import a_span
from tests.streams.assemble.staging import ListPost, Spans, a_stage
from tests.streams.assemble.staging import at as at_offset
from tests.streams.telemetry.collector import collector
from tests.streams.telemetry.exposed import labels, some_meters, values
from tests.streams.vitals.idle import Idle
from tests.streams.vitals.test_scoring import HalfSpent
from tests.streams.vitals.test_watching import HOUR, some_watches
from tests.streams.watch.records import a_score, a_tally, at, bad
from tests.tools import tool

DEADLINE = timedelta(seconds=1)


def a_receiver() -> Receiver:
    client = HttpClient(timeout_seconds=1)
    nowhere = SecretStr("https://ops.example")
    return Receiver("ops", "webhook", nowhere, client, timedelta(hours=4), Links())


class OnePartition(ListSource):
    def progress(self) -> dict[int, Progress]:
        return {0: Progress(5, 9, 1)}


@asynccontextmanager
async def a_station() -> AsyncIterator[tuple[Station, str]]:
    port, station = free_port(), Station(some_meters())
    async with station.open(host="127.0.0.1", port=port, insists=True):
        yield station, f"http://127.0.0.1:{port}"


async def asked(url: str) -> tuple[int, str]:
    def ask() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - our own server
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()

    return await asyncio.to_thread(ask)


async def assembled() -> Assembling:
    """Return a stage of which all that is counted has happened."""
    stage = a_stage(Spans([[at_offset(0, a_span(0, root=True), a_span(9))]]), ListPost())
    stage.letters.missing = Counter({("invented", "contexts"): 1})
    await stage.run(no_beats())
    return stage


async def everything(folder: Path, otlp: str | None = None) -> str:
    """Return /metrics of a process in which all that is measured has happened."""
    (folder / "max").write_text(str(1 << 40))
    station = Station(meters(version="1", instance="test", otlp=otlp, by_environment=False))
    station.process.memory = Memory(limits=(folder / "max",))
    sink = MeteredSink(ListSink(), station.meters, station.assistants)
    usage = Usage(calls=1, attempts=1, input_tokens=9, output_tokens=1, cost_usd=0.1, seconds=0.5)
    verdict = bad().model_copy(update={"counts": {"claims": 3, "escalated_chat": 1}})
    refused = Failed(error=ScoringError(kind="judge_failed", cause="timeout"))
    await sink.publish([a_score(0, 0, verdict).model_copy(update={"usage": usage})])
    await sink.publish([a_score(1, 0, refused), a_tally(0, rows=(0, 9), sampled=2)])
    await sink.reject(a_record(b"x"), Rejection(reason="not_json", detail=""), at=NOON)
    panel = {"plain": Seat(PlainScorer(), CountingJudge(), DEADLINE)}
    flight: Flight[Never] = Flight(Idle())
    score = ScoreVitals(OnePartition([]), sink, flight, panel, HalfSpent(), sink, DEADLINE)
    watch = WatchVitals(
        some_watches(), (HOUR,), station.assistants, lambda: at(60 * 36), receivers=[a_receiver()]
    )
    assembly = AssembleVitals(await assembled(), station.meters)
    CallMeter(station.meters)(Call("chat", "model-1", usage, "model-1", "timeout"))
    station.meters.add(Metric.SENT, 1, {"sink": "langfuse", "outcome": "taken"})
    station.meters.add(Metric.LOST, 1, {"signal": "span", "reason": "queue_full"})
    async with station.over(score, watch, assembly):
        await station.look()
        text = (await station.meters.exposition()).decode()
        await station.meters.close()
        return text


def families(text: str) -> dict[str, str]:
    """Return the kind of each metric, by name."""
    lines = [line.split(" ") for line in text.splitlines() if line.startswith("# TYPE ")]
    return {name: kind for _, _, name, kind in lines}


async def test_every_metric_of_the_table_is_there_and_no_other(tmp_path: Path) -> None:
    text = await everything(tmp_path)

    assert families(text) == {one.value.exposed: one.value.kind for one in Metric}


async def test_every_metric_of_the_table_is_sent_by_otlp_too(tmp_path: Path) -> None:
    async with collector() as (url, taken):
        await everything(tmp_path, url)

    body = b"".join(body for _, body in taken)
    assert [one.value.name for one in Metric if one.value.name.encode() not in body] == []


async def test_each_series_has_the_attributes_that_the_table_names(tmp_path: Path) -> None:
    text = await everything(tmp_path)

    for metric in Metric:
        name = metric.value.exposed + "_count" * (metric.value.kind == "histogram")
        listed = {attribute.replace(".", "_") for attribute in metric.value.attributes}
        lines = [line for line in text.splitlines() if line.startswith((f"{name} ", f"{name}{{"))]
        assert lines, name
        for line in lines:
            pairs = line.partition("{")[2].partition("}")[0]
            assert {pair.partition("=")[0] for pair in pairs.split(",") if pair} == listed, line


async def test_promtool_finds_nothing_to_complain_of(tmp_path: Path) -> None:
    promtool = tool("promtool", "prometheus")
    text = await everything(tmp_path)

    done = await asyncio.to_thread(
        subprocess.run,
        [promtool, "check", "metrics"],
        input=text.encode(),
        capture_output=True,
        check=False,
        timeout=30,
    )

    assert (done.returncode, done.stdout + done.stderr) == (0, b"")


class Ailing:
    """A part that says what it is told to."""

    def __init__(self, dead: list[str], unready: list[str]) -> None:
        self._dead, self._unready = dead, unready

    def samples(self) -> Iterator[Sample]:
        yield Sample(Metric.PARTITIONS, 3)

    def dead(self) -> list[str]:
        return self._dead

    def unready(self) -> list[str]:
        return self._unready


async def test_it_lives_before_it_is_ready_and_is_ready_while_it_works() -> None:
    async with a_station() as (station, url):
        before = await asked(f"{url}/readyz"), await asked(f"{url}/healthz")
        async with station.over(Ailing([], [])):
            during = await asked(f"{url}/readyz"), await asked(f"{url}/healthz")
        after = await asked(f"{url}/readyz")

    assert before == ((503, "it starts or stops\n"), (200, "ok\n"))
    assert during == ((200, "ok\n"), (200, "ok\n"))
    assert after[0] == 503


async def test_it_says_in_words_what_is_wrong() -> None:
    async with a_station() as (station, url), station.over(Ailing(["it stands"], ["deaf", "dumb"])):
        assert await asked(f"{url}/healthz") == (503, "it stands\n")
        assert await asked(f"{url}/readyz") == (503, "deaf\ndumb\n")


async def test_metrics_are_served_as_prometheus_reads_them() -> None:
    async with a_station() as (station, url), station.over(Ailing([], [])):
        await station.look()
        status, text = await asked(f"{url}/metrics")

    assert status == 200
    assert "\nstreamgauge_partitions 3.0\n" in text


@pytest.mark.parametrize(("unready", "value"), [([], 1), (["no Kafka answers"], 0)])
async def test_whether_it_is_ready_is_a_figure_too(unready: list[str], value: float) -> None:
    async with a_station() as (station, _), station.over(Ailing([], unready)):
        await station.look()
        found = await values(station.meters, Metric.READY)

    assert found == {labels(): value}


async def test_an_address_that_nobody_set_is_let_be_where_it_is_taken() -> None:
    async with a_station() as (_, url):
        port = int(url.rpartition(":")[2])
        with pytest.raises(TakenError, match="in use"):
            async with Station(some_meters()).open(host="127.0.0.1", port=port, insists=True):
                pass
        with structlog.testing.capture_logs() as logs:
            async with Station(some_meters()).open(host="127.0.0.1", port=port, insists=False):
                assert (await asked(f"{url}/healthz"))[0] == 200

    [warning] = logs
    assert warning["event"] == "not_serving"
    assert f"STREAMGAUGE_SERVE__PORT={port + 1} for this process" in warning["reason"]
    assert "all else works as ever" in warning["lost"]
