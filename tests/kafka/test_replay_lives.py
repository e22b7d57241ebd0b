"""A run whose processes are killed, frozen, or started twice: it is one at a time.

F57 killed and resumed, run twice · F63 two processes with one run
"""

import asyncio
import signal
from collections import Counter
from pathlib import Path

import pytest

from streams.address import MODE, Topics
from streams.kafka.glance import glance
from streams.replay.runs import Runs
from tests.kafka.cluster_admin import a_connection, commits_of, read_all
from tests.kafka.flow import plan_of, prepare, settled_rows
from tests.kafka.processes import Workers, workers
from tests.kafka.replay_worker import TAKEN
from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service

WORKER = "tests.kafka.replay_worker"
ROWS = 120


def paid_again(some: Workers) -> int:
    """Return how many calls were begun about an answer that one was begun about before."""
    return sum(times - 1 for times in Counter(e.claim for e in some.entries("begin")).values())


async def test_a_run_that_is_killed_goes_on_at_once_and_pays_only_calls_in_flight_again(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F57: the lease of a process of this host that is dead keeps nobody from its run."""
    await prepare(kafka, topics, ROWS)
    plan = plan_of(kafka, topics, tmp_path, group="r", session_seconds=60)

    with workers(plan, WORKER) as some:
        some.start()
        await eventually(lambda: some.begun() >= 40)
        some.kill()
        some.start()
        assert some.wait() == 0
        paid = some.begun()
        some.start()
        assert some.wait() == 0

    assert some.begun() == paid
    assert paid_again(some) <= plan.in_flight
    assert await settled_rows(kafka, topics) == ROWS
    modes = {dict(record.headers)[MODE] for record in await read_all(kafka, topics.scores)}
    assert modes == {b"replay:r"}
    async with glance(a_connection(kafka)) as look:
        run = (await Runs(look, topics.runs).latest())["r"]
    assert (run.state, run.life) == ("complete", 3)
    committed = await commits_of(kafka, "r", topics.traces)
    assert {n: at for n, (at, _) in committed.items()} == dict.fromkeys(range(4), ROWS // 4)


async def test_a_second_process_on_a_run_is_refused_and_told_by_whom(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F63"""
    await prepare(kafka, topics, 40)
    hold = tmp_path / "hold"
    hold.touch()

    plan = plan_of(kafka, topics, tmp_path, group="r", hold=str(hold), session_seconds=60)
    with workers(plan, WORKER) as some:
        some.start("first")
        await eventually(lambda: some.begun() == 16)
        some.start("second")
        assert some.wait("second") == TAKEN
        assert f"by process {some.running['first'].pid} on" in some.log("second")
        hold.unlink()
        assert some.wait("first") == 0

    assert (paid_again(some), await settled_rows(kafka, topics)) == (0, 40)


async def test_a_frozen_process_loses_its_run_and_pays_and_commits_nothing_after_it(
    kafka: str, topics: Topics, tmp_path: Path
) -> None:
    """F63: it comes back when another has done all the rest."""
    await prepare(kafka, topics, 40)
    hold = tmp_path / "hold"
    hold.touch()
    plan = plan_of(kafka, topics, tmp_path, group="r", hold=str(hold), session_seconds=8)

    with workers(plan, WORKER) as some:
        some.start("frozen")
        await eventually(lambda: some.begun() == 16)
        some.send(signal.SIGSTOP, "frozen")
        hold.unlink()

        def next_is_done() -> bool:
            some.start("next")
            return some.wait("next") == 0

        await eventually(lambda: asyncio.to_thread(next_is_done), every=0.5)
        before = await commits_of(kafka, "r", topics.traces)
        some.send(signal.SIGCONT, "frozen")
        frozen = some.running["frozen"].pid
        assert some.wait("frozen") == TAKEN

    assert len([entry for entry in some.entries("begin") if entry.pid == frozen]) == 16
    assert paid_again(some) == 16
    assert await settled_rows(kafka, topics) == 40
    assert await commits_of(kafka, "r", topics.traces) == before
