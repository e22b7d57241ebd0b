"""Broker, judge, collector and webhook down: both halves stop in time and lose nothing (I1, I9)."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from schemas.score import ScoreEvent
from streams.address import EVENT_ID, Topics
from streams.live import BY_FORCE
from tests.command import STREAMGAUGE
from tests.judge_server import Heard, JudgeServer, Play, agree, reply
from tests.kafka.broker import Cluster, die_with_parent, ready
from tests.kafka.cluster_admin import put, read_all
from tests.kafka.command import run
from tests.kafka.processes import traces
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually

pytestmark = [pytest.mark.service, pytest.mark.timeout(300)]

ROWS = 40
BUDGET_SECONDS = 60
SETTINGS = """
scorers: {{faithfulness: {{}}, citation_accuracy: null}}
judge: {{kind: chat, allow_private_addresses: true, chat: {{url: {judge}, model: judge-1}}}}
notify: [{{name: ops, kind: webhook, allow_private_addresses: true}}]
telemetry: {{otlp: {collector}}}
serve: {{port: {port}}}
"""
DOWN = ["broker", "judge", "collector and webhook", "all of them"]


def answer(heard: Heard) -> Play:
    return reply(agree(heard))


@asynccontextmanager
async def judge_at(*, up: bool) -> AsyncIterator[str]:
    if not up:
        yield f"http://127.0.0.1:{free_port()}/v1"
        return
    async with JudgeServer(answer) as server:
        yield server.url


@contextmanager
def halves(folder: Path) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Start both halves with receivers that nobody listens at."""
    environment = {
        **os.environ,  # noqa: TID251 - children need it
        "STREAMGAUGE_NOTIFY_OPS_URL": f"http://127.0.0.1:{free_port()}/hook",
    }
    started = []
    for half in ("score", "watch"):
        with (folder / f"{half}.log").open("wb") as log:
            started.append(
                subprocess.Popen(  # noqa: S603 - our own command
                    [STREAMGAUGE, half],
                    cwd=folder,
                    env={**environment, "STREAMGAUGE_SERVE__PORT": str(free_port())},
                    stdout=log,
                    stderr=log,
                    preexec_fn=die_with_parent,
                )
            )
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


@pytest.mark.parametrize("down", DOWN)
async def test_both_halves_stop_in_time_and_no_row_is_lost_whatever_is_down(
    topics: Topics, tmp_path: Path, down: str
) -> None:
    cluster = Cluster(tmp_path)
    try:
        cluster.start_all()
        await ready(cluster.address)
        kafka, everything = cluster.address, down == "all of them"
        async with judge_at(up=not (everything or down == "judge")) as judge:
            more = SETTINGS.format(
                judge=judge, collector=f"http://127.0.0.1:{free_port()}", port=free_port()
            )
            run(kafka, tmp_path, topics, "topics", "create", more=more)
            await put(kafka, topics.traces, traces(ROWS))
            with halves(tmp_path) as both:
                await eventually(
                    lambda: b"running" in (tmp_path / "score.log").read_bytes(), within=90
                )
                await eventually(lambda: marked(kafka, topics), within=90, every=0.5)
                if everything or down == "broker":
                    cluster.signal(1, signal.SIGKILL)
                began = time.monotonic()
                for process in both:
                    process.send_signal(signal.SIGTERM)
                codes = [await asyncio.to_thread(process.wait, 80) for process in both]
                took = time.monotonic() - began
        if not cluster.alive():
            cluster.start(1)
            await ready(cluster.address)
        async with JudgeServer(answer) as server:
            more = SETTINGS.format(judge=server.url, collector="null", port=free_port())
            again = ("score", "--once")
            last = await asyncio.to_thread(run, kafka, tmp_path, topics, *again, more=more)
        scored = await scored_rows(kafka, topics)
    finally:
        cluster.stop()

    assert took < BUDGET_SECONDS, (tmp_path / "score.log").read_text()[-2000:]
    assert last.returncode == 0, last.stderr
    assert set(codes) <= {0, 1, BY_FORCE}
    assert scored == {f"{n:032x}" for n in range(ROWS)}


async def marked(kafka: str, topics: Topics) -> bool:
    return bool(await read_all(kafka, topics.marks))


async def scored_rows(kafka: str, topics: Topics) -> set[str]:
    found = await read_all(kafka, topics.scores)
    events = (
        ScoreEvent.model_validate_json(r.value or b"") for r in found if EVENT_ID in dict(r.headers)
    )
    return {event.trace.trace_id for event in events}
