"""The broker of the tests: it is there for the whole run, and gone with it."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kafka.waiting import eventually

pytestmark = pytest.mark.service

_STARTS_ONE = """
import sys, time
from pathlib import Path
from tests.kafka.broker import Cluster
cluster = Cluster(Path(sys.argv[1]))
cluster.start_all()
print(cluster.pids[0], flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel's word of a parent's death")
async def test_a_run_that_is_killed_leaves_no_broker_behind(tmp_path: Path) -> None:
    run = subprocess.Popen(  # noqa: ASYNC220, S603 - the run that will be killed
        [sys.executable, "-c", _STARTS_ONE, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    with run.stdout:
        broker = int(run.stdout.readline())

    run.send_signal(signal.SIGKILL)
    run.wait()

    await eventually(lambda: not _runs(broker))


def _runs(pid: int) -> bool:
    """Say whether the process runs: one that waits to be reaped by init does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
