"""On Kafka a half is ready once it has its partitions, and says how much waits in them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from streams.address import Topics
from tests.command import started
from tests.kafka.cluster_admin import put
from tests.kafka.command import run, settings
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually
from tests.streams.telemetry.exposed import labels, series
from tests.streams.test_served import ROW, answers, page


@contextmanager
def running(folder: Path, command: str) -> Iterator[None]:
    """Run a half; it logs to COMMAND.log."""
    log = f"{command}.log"
    with started(command, cwd=folder, log=log) as process:
        yield
        process.terminate()
        assert process.wait(timeout=60) == 0, (folder / log).read_text()


@pytest.mark.service
@pytest.mark.parametrize("command", ["score", "watch"])
async def test_a_half_is_ready_on_kafka_once_it_has_its_partitions(
    command: str, kafka: str, topics: Topics, tmp_path: Path
) -> None:
    port = free_port()
    assert run(kafka, tmp_path, topics, "topics", "create").returncode == 0
    await put(kafka, topics.traces, [json.dumps(ROW).encode()], partition=0)
    settings(kafka, tmp_path, topics, f"serve: {{port: {port}}}")

    with running(tmp_path, command):
        await eventually(partial(answers, port, "/readyz", "ok\n"), within=90)
        assert page(port, "/healthz") == "ok\n"
        if command == "score":

            def worked_off() -> bool:
                lag = series(page(port, "/metrics") or "").get("streamgauge_lag", {})
                return len(lag) == 8 and lag[labels(partition="0")] == 0

            await eventually(worked_off)
