"""What every adapter of the ports must do: one suite, run against the folder log and Kafka.

An adapter's test module makes a subclass of `PortsSuite` and gives it a fixture `log`.
"""

import pytest

from tests.streams.ports.holding import HoldingSuite
from tests.streams.ports.log import Log
from tests.streams.ports.reading import ReadingSuite
from tests.streams.ports.restarting import RestartSuite
from tests.streams.ports.writing import WritingSuite


class PortsSuite(ReadingSuite, RestartSuite, HoldingSuite, WritingSuite):
    """All that an adapter of the ports must do. Each behaviour begins on an empty log."""

    @pytest.fixture
    def log(self) -> Log:
        raise NotImplementedError("an adapter's test module gives its own")
