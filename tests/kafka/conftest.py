"""One broker for the whole run, and names of topics that no two tests share."""

import asyncio
import os
import uuid
from collections.abc import Iterator

import pytest

from streams.address import Topics
from tests.kafka.broker import Cluster, ready

OURS = "STREAMGAUGE_TEST_KAFKA"


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a broker: the one that the environment names, or our own."""
    if address := os.environ.get(OURS):  # noqa: TID251 - a test's own switch, no setting
        yield address
        return
    cluster = Cluster(tmp_path_factory.mktemp("kafka"))
    try:
        cluster.start_all()
        asyncio.run(ready(cluster.address, alive=cluster.alive))
        yield cluster.address
    finally:
        cluster.stop()


@pytest.fixture
def topics() -> Topics:
    """Return names that only this test has."""
    prefix = f"t{uuid.uuid4().hex[:10]}"
    return Topics(
        traces=f"{prefix}.traces",
        scores=f"{prefix}.scores",
        marks=f"{prefix}.marks",
        windows=f"{prefix}.windows",
        alerts=f"{prefix}.alerts",
        runs=f"{prefix}.runs",
        dead=f"{prefix}.dead",
    )
