"""One broker with all the locks, for every test of them."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.kafka.broker import ready
from tests.kafka.security.secured import Secured, secured


@pytest.fixture(scope="package")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """Yield the broker with all the locks."""
    made = secured(tmp_path_factory.mktemp("secured"))
    try:
        made.cluster.start_all()
        asyncio.run(ready(made.cluster.address, alive=made.cluster.alive))
        yield made
    finally:
        made.cluster.stop()
