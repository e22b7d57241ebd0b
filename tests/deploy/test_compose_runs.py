"""What the compose file runs, run here: its Collector, and our commands on a broker like its."""

import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest

from streams.address import Topics
from tests.command import started, streamgauge
from tests.deploy.composed import COLLECTOR, SETTINGS, node_settings, ours
from tests.kafka.broker import Cluster
from tests.kafka.broker import ready as up
from tests.kafka.cluster_admin import put, read_all
from tests.kafka.collecting.otelcol import PROGRAM
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually
from tests.streams.commands.traces import GOOD, rows
from tests.streams.test_served import answers


@pytest.mark.service
def test_a_real_collector_takes_its_settings_and_refuses_a_misspelt_key(tmp_path: Path) -> None:
    if not PROGRAM.exists():
        pytest.skip("SKIPPED: no Collector is built: make collector (it needs Go)")
    (misspelt := tmp_path / "collector.yaml").write_text(
        COLLECTOR.read_text().replace("partition_traces_by_id", "partition_by_id")
    )

    codes = [
        subprocess.run(  # noqa: S603 - what we built
            [PROGRAM, "validate", "--config", file], check=False, capture_output=True
        ).returncode
        for file in (COLLECTOR, misspelt)
    ]

    assert codes == [0, 1]


@pytest.mark.service
@pytest.mark.timeout(300)
async def test_the_commands_run_on_a_real_broker_that_is_told_what_the_file_tells_it(
    tmp_path: Path,
) -> None:
    inside, outside, controller = (f"127.0.0.1:{free_port()}" for _ in range(3))
    places = {"kafka:9092": inside, ":9092": inside, "127.0.0.1:9094": outside, ":9094": outside}
    told = node_settings(places | {"kafka:9093": controller, ":9093": controller})
    cluster = Cluster(tmp_path, settings=told)
    options = ("--config", str(SETTINGS), "--broker", f"kafka://{inside}")
    ports = [free_port(), free_port()]
    try:
        cluster.start_all()
        await up(inside, alive=cluster.alive)
        streamgauge("topics", "create", *options, cwd=tmp_path)
        streamgauge("topics", "check", *options, cwd=tmp_path)
        with (
            started("score", *options, cwd=tmp_path, variables=told_to_ours(ports[0])) as score,
            started("watch", *options, cwd=tmp_path, variables=told_to_ours(ports[1])) as watch,
        ):
            await put(outside, Topics().traces, [rows(GOOD).encode()])
            await eventually(lambda: written(inside, Topics().scores), within=60)
            for port in ports:
                await eventually(partial(answers, port, "/readyz", "ok\n"), within=90)
            for one in (score, watch):
                one.send_signal(signal.SIGTERM)
            assert [one.wait(timeout=60) for one in (score, watch)] == [0, 0]
    finally:
        cluster.stop()


def told_to_ours(port: int) -> dict[str, str]:
    """Return what our services are told, a port of this test's, and that no Collector is there."""
    told: dict[str, str] = ours()["score"]["environment"]
    here = {"STREAMGAUGE_SERVE__PORT": str(port), "STREAMGAUGE_TELEMETRY__OTLP": "null"}
    return told | here


async def written(servers: str, topic: str) -> bool:
    return bool(await read_all(servers, topic))
