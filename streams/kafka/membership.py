"""How a member stands in its group: what keeps it from reading, and what only a new start ends."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from streams.kafka.held import Holdings
from streams.kafka.owed import Owed

REJOIN_SECONDS = 120.0
"""An assignment takes a minute at most: whoever is not there by then is left out of it."""
COMMIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Membership:
    """Says in words what the parts know. `deaf`: no broker answers.

    `assignment` is owed by the group, `commit` by us.
    """

    holdings: Holdings
    deaf: Callable[[], bool]
    assignment: Owed
    commit: Owed
    stopwatch: Callable[[], float] = time.monotonic

    @property
    def trouble(self) -> str | None:
        """Why nothing can be read now. A member without partitions stands by, and is well."""
        if self.deaf():
            return "no Kafka answers"
        if self.assignment.since is not None:
            return "the group hands out its partitions"
        known = {number for number, held in self.holdings.held.items() if held.trusted}
        if waiting := self.holdings.mine - known:
            return f"partitions are being taken up: {sorted(waiting)}"
        return None

    @property
    def lost(self) -> str | None:
        """Why only a new start helps. Where no broker answers, that helps nobody."""
        if self.deaf():
            return None
        now = self.stopwatch()
        if (waited := self.assignment.seconds(now)) > REJOIN_SECONDS:
            return f"the group has handed out no partitions for {waited:.0f} s"
        if (waited := self.commit.seconds(now)) > COMMIT_SECONDS:
            return f"what is done could not be committed for {waited:.0f} s"
        return None
