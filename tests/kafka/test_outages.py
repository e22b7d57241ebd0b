"""Brokers that go, come back, freeze or are not there yet: nothing is lost, and every stop ends.

F07 broker away · F08 black hole · F09 coordinator moves · F10 leaders move · F11 and F62 nobody
answers any more · F12 broker comes later
"""

import asyncio
import json
import signal
import time
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from streams.address import Topics
from streams.kafka.source import KafkaSource
from streams.pace import now
from streams.subscription import Subscription
from tests.command import STREAMGAUGE
from tests.kafka.broker import ready, running
from tests.kafka.cluster_admin import in_sync, make_all
from tests.kafka.command import settings
from tests.kafka.flow import accounted, all_settled, plan_of, prepare
from tests.kafka.member import connection_of
from tests.kafka.processes import Workers, workers
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service


async def test_a_broker_away_for_longer_than_a_session_costs_no_row_and_no_second_call(
    tmp_path: Path, topics: Topics
) -> None:
    """F07 with I1 and I5: only the sending waits; what is judged is not judged again."""
    async with running(tmp_path) as cluster:
        kafka = cluster.address
        await prepare(kafka, topics, 300)
        with workers(plan_of(kafka, topics, tmp_path)) as some:
            some.start()
            await eventually(lambda: some.begun() >= 60)
            cluster.signal(1, signal.SIGKILL)
            began = time.monotonic()
            await eventually(lambda: time.monotonic() - began > 12)
            cluster.start(1)
            await ready(kafka)
            await eventually(lambda: all_settled(kafka, topics, 300), within=60, every=0.5)
            assert some.stop() == 0

        found = await accounted(some)
        assert (found.lost, found.paid_twice_in_flight, found.paid_twice_not_in_flight) == (0, 0, 0)


async def test_a_stop_ends_although_the_broker_answers_nothing(
    tmp_path: Path, topics: Topics
) -> None:
    """F08 with I9: the broker is frozen; every step of the stop has its own deadline."""
    async with running(tmp_path) as cluster:
        await prepare(cluster.address, topics, 100)
        with workers(plan_of(cluster.address, topics, tmp_path, drain_seconds=2)) as some:
            some.start()
            await eventually(lambda: some.begun() >= 30)
            cluster.signal(1, signal.SIGSTOP)
            began = time.monotonic()
            some.stop()
            assert time.monotonic() - began < 60
        cluster.signal(1, signal.SIGCONT)


async def test_a_reader_that_no_broker_answers_any_more_stops_to_be_started_anew(
    tmp_path: Path, topics: Topics
) -> None:
    """F11 and F62: the client would wait for ever for addresses that are gone."""
    async with running(tmp_path) as cluster:
        await make_all(cluster.address, topics)

        subscription = Subscription(topic=topics.traces, group="g", scores=topics.scores)
        async with KafkaSource(connection_of(cluster.address), subscription, now) as source:
            source._lookout.give_up = timedelta(seconds=4)
            cluster.signal(1, signal.SIGKILL)
            with pytest.raises(ConnectionError, match="no Kafka answers any more"):
                async for _ in source.batches():
                    pass


async def test_a_worker_may_start_before_its_broker(tmp_path: Path, topics: Topics) -> None:
    """F12"""
    async with running(tmp_path) as cluster:
        await prepare(cluster.address, topics, 20)
        cluster.signal(1, signal.SIGKILL)
        with workers(plan_of(cluster.address, topics, tmp_path)) as some:
            some.start()
            await eventually(lambda: "Unable" in some.log())
            cluster.start(1)
            await ready(cluster.address)
            await eventually(lambda: all_settled(cluster.address, topics, 20), every=0.5)


async def test_an_absent_broker_is_told_once_a_minute(tmp_path: Path, topics: Topics) -> None:
    """F12: its client says so several times a second."""
    settings(f"127.0.0.1:{free_port()}", tmp_path, topics)
    process = await asyncio.create_subprocess_exec(
        STREAMGAUGE, "score", cwd=tmp_path, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    told = [""]
    while told[-1] != "kafka_client":
        told.append(json.loads(await process.stderr.readline())["event"])

    more = asyncio.create_task(process.stderr.read())
    await asyncio.wait({more}, timeout=4)
    process.terminate()

    assert told[-3:] == ["connecting", "no_broker_yet", "kafka_client"]
    assert [json.loads(line)["event"] for line in (await more).splitlines()] == ["stopping"]
    await process.wait()


def begun(some: Workers, enough: int) -> bool:
    return some.begun() >= enough


@pytest.mark.timeout(300)
async def test_nodes_that_restart_one_after_another_lose_nothing(
    tmp_path: Path, topics: Topics
) -> None:
    """F09 and F10 with I1: each of three nodes is killed once, so the coordinator is, too."""
    async with running(tmp_path, nodes=3) as cluster:
        kafka = cluster.address
        await prepare(kafka, topics, 600, copies=3)
        with workers(plan_of(kafka, topics, tmp_path)) as some:
            some.start()
            for node in (1, 2, 3):
                enough = some.begun() + 60
                await eventually(partial(begun, some, enough), within=90)
                cluster.signal(node, signal.SIGKILL)
                cluster.start(node)
                await eventually(lambda: in_sync(kafka, topics.scores, copies=3), within=60)
            await eventually(lambda: all_settled(kafka, topics, 600), within=90, every=1)
            assert some.stop() == 0

        found = await accounted(some)
        assert (found.lost, found.paid_twice_not_in_flight) == (0, 0)
