"""A real broker on 127.0.0.1 that stays when this process ends, for people to try things on.

    python -m tests.kafka.standing start [NODES]  prints the address; a second one finds the first
    python -m tests.kafka.standing stop           ends it by process id

Tests start their own, or use the one that STREAMGAUGE_TEST_KAFKA names.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from tests.kafka.apache import CACHE
from tests.kafka.broker import Cluster, ready


class _Running(TypedDict):
    address: str
    pids: list[int]


_RUNNING = CACHE / "running.json"


def start(nodes: int) -> str:
    """Start a broker that outlives this process, unless one runs already; return its address."""
    if (running := _running()) is not None:
        return running["address"]
    folder = CACHE / "data"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    cluster = Cluster(folder, nodes, detached=True)
    cluster.start_all()
    _RUNNING.write_text(json.dumps({"address": cluster.address, "pids": cluster.pids}))
    asyncio.run(ready(cluster.address, nodes=nodes))
    return cluster.address


def stop() -> None:
    """End the broker that `start` left running."""
    if (running := _running()) is not None:
        for pid in running["pids"]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    _RUNNING.unlink(missing_ok=True)
    shutil.rmtree(CACHE / "data", ignore_errors=True)


def _running() -> _Running | None:
    """Return what `start` wrote, if its processes are still brokers (an id can come again)."""
    if not _RUNNING.exists():
        return None
    running: _Running = json.loads(_RUNNING.read_text())
    return running if all(_is_broker(pid) for pid in running["pids"]) else None


def _is_broker(pid: int) -> bool:
    with suppress(OSError):
        return b"kafka.Kafka" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def main(arguments: list[str]) -> None:
    """Run a command of the module's docstring."""
    match arguments:
        case ["start", *nodes]:
            sys.stdout.write(start(int(nodes[0]) if nodes else 1) + "\n")
        case ["stop"]:
            stop()
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
