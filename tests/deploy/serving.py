"""Debian's Prometheus and Alertmanager on 127.0.0.1, for as long as a test lasts."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.kafka.broker import die_with_parent
from tests.kafka.proxy import free_port
from tests.kafka.waiting import eventually
from tests.streams.test_served import page
from tests.tools import tool

PATIENCE_SECONDS = 60


@asynccontextmanager
async def alertmanager_with(config: Path, folder: Path) -> AsyncIterator[str]:
    """Run Alertmanager with a file, keeping its state in a folder; yield its address."""
    program = tool("prometheus-alertmanager", "prometheus-alertmanager")
    options = [
        f"--config.file={config}",
        f"--storage.path={folder / 'alertmanager'}",
        "--cluster.listen-address=",
    ]
    async with _serving(program, *options, log=folder / "alertmanager.log") as address:
        yield address


@asynccontextmanager
async def prometheus_with(config: Path, folder: Path) -> AsyncIterator[str]:
    """Run Prometheus with a file, keeping its series in a folder; yield its address."""
    program = tool("prometheus", "prometheus")
    options = [
        f"--config.file={config}",
        f"--storage.tsdb.path={folder / 'prometheus'}",
        "--rules.alert.resend-delay=1s",  # what it sends before it knows Alertmanager is dropped
    ]
    async with _serving(program, *options, log=folder / "prometheus.log") as address:
        yield address


@asynccontextmanager
async def _serving(program: str, *options: str, log: Path) -> AsyncIterator[str]:
    """Run a program of theirs; yield its address once it is ready."""
    port = free_port()
    listening = f"--web.listen-address=127.0.0.1:{port}"
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            program, *options, listening, stdout=file, stderr=file, preexec_fn=die_with_parent
        )
    try:
        await eventually(lambda: page(port, "/-/ready") is not None, within=PATIENCE_SECONDS)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        await process.wait()
